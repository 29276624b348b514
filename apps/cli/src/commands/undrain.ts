import type { Configure } from "../command-context.ts";
import { configureDraining } from "./drain.ts";

/** `cloud agent undrain NAME`: lets the agent take new tasks again. */
export const configureUndrain: Configure = (command, context) =>
  configureDraining(command, context, { verb: "undrain", draining: false, done: "accepts tasks again" });
