import type { Configure } from "../command-context.ts";
import { configureAct } from "./pause.ts";

/** `cloud resume cluster dev`: reconciles a paused entity again. */
export const configureResume: Configure = (command, context) => configureAct(command, context, "resume", "resumed");
