import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { processEnvironment, requireTool } from "@cloudwright/platform";
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from "vitest";
import { startTestApi, type TestApi } from "../../testing/test-api.ts";
import { createStack, startRun, type StateRun } from "../../testing/state-run.ts";
import { joinTestAgent } from "../../testing/test-agent.ts";

const tool = requireTool("terraform");
const terraform = tool.found ? tool.path : "";
const folders: string[] = [];

let api: TestApi;
let agent: string;

/** A configuration with a resource whose creation finishes only when a file is removed. */
const configuration = `
terraform {
  backend "http" {}
}
variable "text" {
  type = string
}
variable "gate" {
  type    = string
  default = ""
}
resource "terraform_data" "one" {
  input = var.text
  provisioner "local-exec" {
    command = var.gate == "" ? "true" : "touch \${var.gate}.here; while [ -e \${var.gate} ]; do sleep 0.05; done"
  }
  triggers_replace = var.text
}
output "text" {
  value = terraform_data.one.output
}
`;

describe.skipIf(!tool.found)(
  `M072 with the real Terraform${tool.found ? "" : ` (skipped: ${tool.reason})`}`,
  () => {
    beforeAll(async () => {
      api = await startTestApi();
      agent = await (await joinTestAgent(api, "system", "ada")).sign();
    });
    afterAll(() => api.close());
    afterEach(() => {
      for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
    });

    test("a state is written, read by the next run, pulled and destroyed", async () => {
      const run = await startRun(api, agent, await createStack(api));
      const folder = createFolder();
      await must(folder, run, ["init", "-input=false"]);
      await must(folder, run, ["apply", "-auto-approve", "-var=text=first"]);
      await run.finish();
      expect((await call(folder, run, ["plan", "-var=text=first"])).code).toBe(1);

      const next = await startRun(api, agent, run.entityUid);
      const elsewhere = createFolder();
      await must(elsewhere, next, ["init", "-input=false"]);
      const unchanged = await call(elsewhere, next, ["plan", "-var=text=first", "-detailed-exitcode"]);
      expect([unchanged.code, unchanged.text]).toEqual([0, expect.stringContaining("No changes")]);
      const pulled = JSON.parse(await must(elsewhere, next, ["state", "pull"])) as { outputs: object; serial: number };
      expect(pulled.outputs).toMatchObject({ text: { value: "first" } });
      await must(elsewhere, next, ["apply", "-auto-approve", "-var=text=second"]);
      await must(elsewhere, next, ["destroy", "-auto-approve", "-var=text=second"]);
      const { body } = await api.must("GET", `/v1/projects/default/states/${run.entityUid}`);
      expect(body).toMatchObject({ newest: { resources: 0, lineage: expect.any(String) as string } });
      expect(body).not.toHaveProperty("lock");
    });

    test("X030 a second run learns that the state is locked, force-unlock is rejected, and a killed holder's lock is taken over", async () => {
      const run = await startRun(api, agent, await createStack(api));
      const folder = createFolder();
      const other = createFolder();
      for (const place of [folder, other]) await must(place, run, ["init", "-input=false"]);
      const gate = join(folder, "gate");
      writeFileSync(gate, "");
      const holder = spawn(terraform, ["apply", "-auto-approve", "-no-color", "-var=text=slow", `-var=gate=${gate}`], {
        cwd: folder,
        env: environmentOf(run),
        stdio: "ignore",
      });
      const ended = once(holder, "exit");
      const readLock = async (): Promise<{ id: string } | undefined> =>
        ((await api.must("GET", `/v1/projects/default/states/${run.entityUid}`)).body as unknown as { lock?: { id: string } })
          .lock;
      await vi.waitUntil(readLock, { timeout: 60_000 });
      const lock = await readLock();

      const second = await call(other, run, ["apply", "-auto-approve", "-var=text=quick"]);
      expect([second.code, second.text]).toEqual([1, expect.stringContaining(`ID=${lock?.id ?? ""}`)]);
      const forced = await call(other, run, ["force-unlock", "-force", lock?.id ?? ""]);
      expect(forced.code).toBe(1);
      expect(await readLock()).toEqual(lock);

      holder.kill("SIGKILL");
      await ended;
      rmSync(gate);
      expect(await readLock()).toEqual(lock);
      await run.finish("returned");
      const next = await startRun(api, agent, run.entityUid, { task: false });
      await must(other, next, ["apply", "-auto-approve", "-var=text=quick"]);
      expect(await readLock()).toBeUndefined();
      const events = await api.must(
        "GET",
        `/v1/projects/default/events?filter=entityUid=${run.entityUid},reason=StateLockReleased`,
      );
      expect(events.body.items).toHaveLength(1);
    });
  },
  120_000,
);

function createFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "cloudwright-state-"));
  folders.push(folder);
  writeFileSync(join(folder, "main.tf"), configuration);
  return folder;
}

/**
 * Returns the environment variables for Terraform. The credential is passed this way because it must not be stored in plans or in
 * `.terraform`.
 */
function environmentOf({ path, username, password }: StateRun): Record<string, string> {
  const address = api.url + path;
  const { PATH = "", HOME = "" } = processEnvironment;
  return {
    PATH,
    HOME,
    CHECKPOINT_DISABLE: "1",
    TF_IN_AUTOMATION: "1",
    TF_HTTP_ADDRESS: address,
    TF_HTTP_LOCK_ADDRESS: address,
    TF_HTTP_UNLOCK_ADDRESS: address,
    TF_HTTP_USERNAME: username,
    TF_HTTP_PASSWORD: password,
    TF_HTTP_RETRY_MAX: "0",
  };
}

function call(folder: string, run: StateRun, args: readonly string[]): Promise<{ code: number; text: string }> {
  const options = { cwd: folder, env: environmentOf(run) };
  const flags = args[0] === "state" || args[0] === "force-unlock" ? [] : ["-no-color"];
  return new Promise((resolve) => {
    const child = execFile(terraform, [...args, ...flags], options, (_error, stdout, stderr) =>
      resolve({ code: child.exitCode ?? -1, text: stdout + stderr }),
    );
  });
}

async function must(folder: string, run: StateRun, args: readonly string[]): Promise<string> {
  const { code, text } = await call(folder, run, args);
  expect([args[0], code, code === 0 ? "" : text]).toEqual([args[0], 0, ""]);
  return text;
}
