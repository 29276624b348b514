import { spawnSync } from "node:child_process";
import { globSync } from "node:fs";

// The platform as a whole, and what runs in a browser, which has other globals, by its own settings.
const projects = ["tsconfig.json", ...globSync("apps/*/tsconfig.json").toSorted()];
for (const project of projects) {
  const { status } = spawnSync("tsc", ["-p", project], { stdio: "inherit" });
  if (status !== 0) process.exitCode = 1;
}
