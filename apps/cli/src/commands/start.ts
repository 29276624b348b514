import type { Configure } from "../command-context.ts";
import { configureRunning } from "./stop.ts";

/** `cloud instance start NAME`: starts a stopped machine. */
export const configureStart: Configure = (command, context) =>
  configureRunning(command, context, { verb: "start", running: true, done: "will be started" });
