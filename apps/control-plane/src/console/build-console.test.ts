import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import { buildConsole } from "./build-console.ts";

const hasProcessTable = existsSync("/proc/self/environ");
if (!hasProcessTable) console.log("skipped: this machine has no /proc to read a child's environment from");

/** Returns the environment variables of the child processes that run Vite. */
function readViteEnvironments(): string[] {
  return readdirSync("/proc")
    .filter((pid) => /^\d+$/.test(pid))
    .flatMap((pid) => {
      try {
        const isChild = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ").at(-1)?.split(" ")[1] === String(process.pid);
        const isVite = readFileSync(`/proc/${pid}/cmdline`, "utf8").includes("vite.js");
        return isChild && isVite ? [readFileSync(`/proc/${pid}/environ`, "utf8")] : [];
      } catch {
        return [];
      }
    });
}

test.skipIf(!hasProcessTable)("X062 the console's build does not see the server's secrets", async () => {
  const canary = "canary-4f1b7c";
  for (const name of ["DATABASE_URL", "CLOUDWRIGHT_ENCRYPTION_KEYS", "AWS_SECRET_ACCESS_KEY", "PGPASSWORD", "VITE_TOKEN"])
    vi.stubEnv(name, canary);
  const folder = mkdtempSync(join(tmpdir(), "console-"));
  const stop = new AbortController();
  const build = buildConsole(join(folder, "build"), stop.signal).catch(() => undefined);
  onTestFinished(async () => {
    vi.unstubAllEnvs();
    stop.abort();
    await build;
    rmSync(folder, { recursive: true, force: true });
  });
  const [environment = ""] = await vi.waitUntil(
    () => {
      const found = readViteEnvironments();
      return found.length > 0 && found;
    },
    { timeout: 60_000, interval: 5 },
  );
  expect(environment).toContain("PATH=");
  expect(environment).not.toContain(canary);
});
