import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { createServer, type AddressInfo } from "node:net";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { createFakeWorld } from "../testing/fake-world.ts";
import { createTemporaryFolder } from "../testing/temporary-folder.ts";

/** Returns a PATH that contains a fake `terraform` with the given version. */
function pathWithTerraform(version = "1.9.8"): string {
  const folder = createTemporaryFolder();
  writeFileSync(join(folder, "terraform"), `#!/bin/sh\necho '{"terraform_version":"${version}"}'\n`, { mode: 0o755 });
  return folder;
}

test.each([
  ["no Terraform", () => "/nowhere"],
  ["a Terraform that is too old", () => pathWithTerraform("1.5.7")],
  ["a Terraform that is too new", () => pathWithTerraform("2.0.0")],
])(
  "M017 M068 a quick start with %s tries to download a supported version, and says so before it creates anything",
  async (_, findPath) => {
    const environment = { PATH: findPath(), CLOUDWRIGHT_TERRAFORM_MIRROR: join(createTemporaryFolder(), "empty") };
    const { run, home } = createFakeWorld({ environment });
    const { code, err } = await run("quickstart");
    expect(code).toBe(2);
    expect(err).toContain("cli.no_terraform");
    expect(err).toContain(environment.CLOUDWRIGHT_TERRAFORM_MIRROR);
    expect(existsSync(join(home, "server.log"))).toBe(false);
  },
);

test("M017 a quick start whose port is in use names the process and starts nothing", async () => {
  const other = createServer();
  await new Promise<void>((resolve) => void other.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void other.close());
  const { port } = other.address() as AddressInfo;
  const environment = { PATH: pathWithTerraform(), CLOUDWRIGHT_LISTEN: `127.0.0.1:${port}` };
  const { run, home } = createFakeWorld({ environment });
  const { code, err } = await run("quickstart");
  expect(code).toBe(4);
  expect(err).toContain("cli.port_taken");
  expect(err).toContain(`127.0.0.1:${port}`);
  expect(err).toContain(process.platform === "linux" ? `(process ${process.pid})` : "another program");
  expect(existsSync(join(home, "server.log"))).toBe(false);
});

test("M017 a quick start rejects an account that is not simulated", async () => {
  const { run, home, server } = createFakeWorld({ environment: { PATH: pathWithTerraform() } });
  mkdirSync(home, { recursive: true });
  writeFileSync(join(home, "server.json"), JSON.stringify({ address: "http://server", pid: process.pid }));
  writeFileSync(join(home, "admin.key"), server.key);
  server.put("/v1/projects/default/accounts/quickstart", { metadata: { name: "quickstart" }, spec: { aws: {} } });
  for (const args of [["quickstart"], ["quickstart", "--delete"]]) {
    const { code, err } = await run(...args);
    expect(code).toBe(4);
    expect(err).toContain("cli.not_simulated");
  }
  expect(server.requests.filter(({ method }) => method !== "GET")).toEqual([]);
});

test("M017 a server with another key is not used, and a server that does not respond is not stopped", async () => {
  const { run, home } = createFakeWorld();
  expect((await run("quickstart", "--stop")).out).toBe(`no server is running for ${home}\n`);
  writeFileSync(join(home, "server.json"), JSON.stringify({ address: "http://server", pid: process.pid }));
  writeFileSync(join(home, "admin.key"), "another");
  expect((await run("quickstart", "--stop")).out).toBe(`no server is running for ${home}\n`);
});
