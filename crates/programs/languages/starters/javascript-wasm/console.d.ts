// All that bot.js has besides JavaScript itself; it writes to standard error.
declare const console: Record<"log" | "info" | "warn" | "error" | "debug", (...what: unknown[]) => void>;
