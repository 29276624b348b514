import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { expect, test } from "vitest";
import { claimMachine } from "./claim-machine.ts";

test("M206 one process at a time manages a machine, and a killed one frees it", async () => {
  const module = JSON.stringify(join(import.meta.dirname, "claim-machine.ts"));
  const source = `import { claimMachine } from ${module};
    await claimMachine();
    process.stdout.write("claimed");
    setInterval(() => undefined, 1000);`;
  const child = spawn(process.execPath, ["--input-type=module", "-e", source], { stdio: ["ignore", "pipe", "inherit"] });
  const ended = once(child, "exit");
  await once(child.stdout, "data");
  await expect(claimMachine()).rejects.toMatchObject({ code: "hosts.machine_claimed" });
  child.kill("SIGKILL");
  await ended;
  const release = await claimMachine();
  await release();
  await (
    await claimMachine()
  )();
});
