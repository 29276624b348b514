import { runProcess } from "./run-process.ts";
import { serveClouds } from "./serve-clouds.ts";

await runProcess("simulated-clouds", serveClouds);
