// What bot.js has beside JavaScript itself: it writes to standard error.
declare const console: Record<"log" | "info" | "warn" | "error" | "debug", (...what: unknown[]) => void>;
