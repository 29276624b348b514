import { Secret } from "@cloudwright/platform";
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { startStateServer } from "../testing/state-server.ts";
import { readAllFiles } from "../testing/read-all-files.ts";
import { createTestDirectory, findTestEngines, openTestTerraform } from "../testing/test-terraform.ts";
import { createHttpBackend } from "./backends/http.ts";
import { getValue } from "./command-report.ts";

const main = 'variable "token" { sensitive = true }\nresource "terraform_data" "a" { input = [var.token] }';

describe.each(findTestEngines())("with $name", ({ binary, skip }) => {
  describe.skipIf(skip)("on this machine", () => {
    test("M061 a warm directory does not need a second init, and contains no data from a run while it is idle", async () => {
      const server = await startStateServer();
      const directory = join(createTestDirectory(), "warm");
      const open = (options: Partial<Parameters<typeof openTestTerraform>[2]> = {}, text = main) => {
        const backend = createHttpBackend({ address: server.address, username: "run", password: new Secret("password-canary") });
        const secretVariables = { token: new Secret(`canary-${"x".repeat(200_000)}`) };
        const { directory: where = directory } = options;
        return openTestTerraform(binary, text, { backend, secretVariables, warm: true, ...options, directory: where });
      };
      const first = open();
      expect(getValue(await first.init())).toMatchObject({ skipped: false });
      const plan = getValue(await first.plan());
      getValue(await first.apply(plan.id));
      getValue(await first.plan());
      expect(await first.close()).toBeUndefined();
      const left = [...readAllFiles(directory)];
      expect(left.map(([path]) => path.slice(directory.length + 1)).toSorted()).toEqual([
        ".cloudwright/backend",
        ".cloudwright/initialised",
        ".terraform/terraform.tfstate",
      ]);
      for (const [, bytes] of left) expect(bytes.includes("canary")).toBe(false);

      const second = open();
      expect(getValue(await second.init())).toMatchObject({ skipped: true });
      expect(getValue(await second.plan())).toMatchObject({ hasChanges: false });
      await second.close();

      for (const changed of [
        () => open({}, `${main}\noutput "a" { value = 1 }`),
        () => open({ binary: { ...binary, version: "1.12.0" } }),
        () => open({ overrides: [{ resource: { terraform_data: { a: { triggers_replace: 1 } } } }] }),
        () => open({ lockFile: "# other\n" }),
        () => open({ providers: { filesystemMirror: directory } }),
        () =>
          open({
            providers: { reattach: { "registry.terraform.io/a/b": { pid: process.pid, socket: "/s", protocolVersion: 6 } } },
          }),
      ]) {
        expect(getValue(await changed().init())).toMatchObject({ skipped: false });
      }
    });

    test("M061 M065 a warm directory is bound to its state, and leftovers from a killed run are removed from it", async () => {
      const server = await startStateServer();
      const directory = join(createTestDirectory(), "warm");
      const backend = (address: string) =>
        createHttpBackend({ address, username: "run", password: new Secret("password-canary") });
      const open = (address = server.address) =>
        openTestTerraform(binary, 'resource "terraform_data" "a" {}', { backend: backend(address), warm: true, directory });
      const killed = open();
      getValue(await killed.init());
      const { id } = getValue(await killed.plan());
      writeFileSync(join(directory, "cloudwright-secrets.auto.tfvars.json"), '{"a":"canary"}');
      expect(() => open(`${server.address}/other`)).toThrow(expect.objectContaining({ code: "terraform.other_backend" }));
      const next = open();
      expect(getValue(await next.init())).toMatchObject({ skipped: true });
      await expect(next.apply(id)).rejects.toMatchObject({ code: "terraform.plan_unknown" });
      expect(existsSync(join(directory, "cloudwright-secrets.auto.tfvars.json"))).toBe(false);
    });
  });
});

test("M061 a directory cannot be warm without a remote state", () => {
  const binary = { product: "terraform", version: "1.9.0", path: "/none" } as const;
  const refused = expect.objectContaining({ code: "terraform.bad_option" });
  expect(() => openTestTerraform(binary, "", { warm: true })).toThrow(refused);
  expect(() => openTestTerraform(binary, "", { warm: true, backend: { type: "local" } })).toThrow(refused);
});
