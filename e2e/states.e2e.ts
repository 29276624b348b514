import { processEnvironment, requireTool } from "@cloudwright/platform";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { runCloud } from "./cloud-command.ts";
import { createHome, removeHome } from "./home-directory.ts";
import { startServer, type RunningServer } from "./server.ts";
import { openState, type StateAccess } from "./state-agent.ts";
import { waitUntil } from "./wait-until.ts";

// The lease must outlast the test, because nothing renews it.
const environment = { CLOUDWRIGHT_ROLES: "api,tasks,reconciler", CLOUDWRIGHT_LEASE_SECONDS: "600" };
const tool = requireTool("terraform");

let home: string;
let folder: string;
let server: RunningServer;

beforeAll(async () => {
  home = await createHome();
  folder = await createHome();
  server = await startServer({ home, environment });
});
afterAll(async () => {
  await server.stop();
  await removeHome(home);
  await removeHome(folder);
});

async function killAndRestart(): Promise<void> {
  await server.kill9();
  server = await startServer({ home, environment });
}

const render = (serial: number, ...names: string[]): string => {
  const resources = names.map((name) => ({
    mode: "managed",
    type: "terraform_data",
    name,
    instances: [{ attributes: { id: name } }],
  }));
  return JSON.stringify({ version: 4, serial, lineage: "line", outputs: {}, resources });
};

test("M072 X031 state, lock and credential survive a kill of the control plane, and users can work with the state", async () => {
  const access = await openState(server, "kept");
  const lock = JSON.stringify({ ID: "lock-1", Who: "story" });
  expect((await access.send(server, "LOCK", lock)).status).toBe(200);
  expect((await access.send(server, "POST", render(1, "one"), "?ID=lock-1")).status).toBe(200);
  await killAndRestart();
  expect(await (await access.send(server, "GET")).text()).toBe(render(1, "one"));
  expect((await access.send(server, "LOCK", JSON.stringify({ ID: "lock-2" }))).status).toBe(423);
  expect((await access.send(server, "POST", render(2, "two"), "?ID=lock-1")).status).toBe(200);

  const cloud = (...args: string[]): ReturnType<typeof runCloud> => runCloud({ home }, "state", ...args);
  expect((await cloud("list")).out).toMatch(/account\/kept +2 +1 .*story/);
  expect((await cloud("versions", "account/kept", "-o", "name")).out).toBe("2\n1\n");
  expect((await cloud("diff", "account/kept")).out).toBe("- terraform_data.one\n+ terraform_data.two\n");
  expect((await cloud("pull", "account/kept", "1")).out).toBe(render(1, "one"));
  expect((await cloud("rollback", "account/kept", "1")).code).toBe(4);
  expect((await cloud("unlock", "account/kept")).code).toBe(4);
  expect((await cloud("unlock", access.entityUid, "--force", "--yes")).out).toBe("account/kept is unlocked\n");
  expect((await cloud("rollback", "account/kept", "1")).out).toContain("is at version 3");
  expect(JSON.parse(await (await access.send(server, "GET")).text())).toEqual(JSON.parse(render(3, "one")));
});

test.skipIf(!tool.found)(
  `X031 a run that cannot upload its state keeps it locally and pushes it when the control plane is back${tool.found ? "" : ` (skipped: ${tool.reason})`}`,
  async () => {
    const access = await openState(server, "rescued");
    const gate = join(folder, "gate");
    writeFileSync(gate, "");
    const program = `touch ${gate}.reached; while [ -e ${gate} ]; do sleep 0.05; done`;
    writeFileSync(
      join(folder, "main.tf"),
      `terraform {\n  backend "http" {}\n}\nresource "terraform_data" "one" {\n  provisioner "local-exec" {\n    command = "${program}"\n  }\n}\n`,
    );
    expect(await terraform(access, "init", "-input=false")).toBe(0);
    const run = terraform(access, "apply", "-auto-approve");
    await waitUntil("the run holds its lock", () => existsSync(`${gate}.reached`));
    await server.kill9();
    rmSync(gate);
    expect(await run).toBe(1);
    expect(existsSync(join(folder, "errored.tfstate"))).toBe(true);

    server = await startServer({ home, environment });
    const refused = await access.send(server, "LOCK", JSON.stringify({ ID: "next" }));
    const { ID } = (await refused.json()) as { ID: string };
    expect((await access.send(server, "UNLOCK", JSON.stringify({ ID }))).status).toBe(200);
    expect(await terraform(access, "state", "push", "errored.tfstate")).toBe(0);
    expect(await terraform(access, "plan", "-detailed-exitcode")).toBe(0);
  },
);

async function terraform(access: StateAccess, ...args: string[]): Promise<number | null> {
  const { PATH = "", HOME = "" } = processEnvironment;
  const env = { PATH, HOME, CHECKPOINT_DISABLE: "1", TF_IN_AUTOMATION: "1", ...access.environment(server) };
  const child = spawn(tool.found ? tool.path : "", args, { cwd: folder, env, stdio: "ignore" });
  const [code] = (await once(child, "exit")) as [number | null];
  return code;
}
