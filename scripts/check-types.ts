import { spawnSync } from "node:child_process";
import { globSync } from "node:fs";

// Checks the workspace and then each app that has its own tsconfig.json, such as the console, which uses browser globals.
const projects = ["tsconfig.json", ...globSync("apps/*/tsconfig.json").toSorted()];
for (const project of projects) {
  const { status } = spawnSync("tsc", ["-p", project], { stdio: "inherit" });
  if (status !== 0) process.exitCode = 1;
}
