module NAME

go 1.18
