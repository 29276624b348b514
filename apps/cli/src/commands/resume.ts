import type { Configure } from "../command-context.ts";
import { configureAct } from "./pause.ts";

/** `cloud resume cluster dev`: resumes reconciling a paused entity. */
export const configureResume: Configure = (command, context) => configureAct(command, context, "resume", "resumed");
