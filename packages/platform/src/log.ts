import { pino, type Logger } from "pino";

export type { Logger } from "pino";

export const logLevels = ["trace", "debug", "info", "warn", "error", "silent"] as const;
export type LogLevel = (typeof logLevels)[number];

/** Creates a logger that writes one JSON object per line to standard error. Headers and fields that carry credentials are redacted. */
export function createLogger(options: { level: LogLevel; name: string; stream?: { write(line: string): void } }): Logger {
  return pino(
    {
      name: options.name,
      level: options.level,
      base: { name: options.name },
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      redact: {
        paths: ["*.authorization", "*.cookie", "authorization", "cookie", "key", "token", "password"],
        censor: "[secret]",
      },
    },
    options.stream ?? pino.destination({ dest: 2, sync: false }),
  );
}
