import { createLogger, createShutdown } from "@cloudwright/platform";
import { expect, test } from "vitest";
import { boundShutdown } from "./bound-shutdown.ts";

test("M099 a shutdown that hangs is aborted after a time limit", async () => {
  const log = createLogger({ level: "silent", name: "test" });
  const shutdown = createShutdown({ log });
  shutdown.onClose("frozen database", () => new Promise(() => undefined));
  const exited = new Promise<number>((exit) => boundShutdown({ log, shutdown, exit }, 1));
  void shutdown.close("SIGTERM");
  expect(await exited).toBe(1);
});
