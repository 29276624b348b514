import { Secret } from "@cloudwright/platform";
import { existsSync } from "node:fs";
import { describe, expect, test } from "vitest";
import type { Binary } from "../binaries/binary.ts";
import { parseState } from "../reading/state.ts";
import { startStateServer } from "../testing/state-server.ts";
import { readAllFiles } from "../testing/read-all-files.ts";
import { findTestEngines, openTestTerraform } from "../testing/test-terraform.ts";
import { createHttpBackend } from "./backends/http.ts";
import { getValue } from "./command-report.ts";

const main = `resource "terraform_data" "a" { input = 1 }\nresource "terraform_data" "b" { input = 2 }`;

async function openWithServer(binary: Binary) {
  const server = await startStateServer();
  const password = new Secret("password-canary");
  const backend = createHttpBackend({ address: server.address, username: "run", password, retryMax: 0 });
  const terraform = openTestTerraform(binary, main, { backend, lockTimeoutSeconds: 0 });
  getValue(await terraform.init());
  return { server, terraform };
}

describe.each(findTestEngines())("with $name", ({ binary, skip }) => {
  describe.skipIf(skip)("on this machine", () => {
    test("M065 a state behind HTTP is locked, saved and unlocked, and its password is not in any file", async () => {
      const { server, terraform } = await openWithServer(binary);
      getValue(await terraform.apply(getValue(await terraform.plan()).id));
      expect(parseState(server.state() ?? "").resources.map(({ address }) => address)).toEqual([
        "terraform_data.a",
        "terraform_data.b",
      ]);
      expect(server.lock()).toBeUndefined();
      expect([...server.credentials()]).toEqual([`Basic ${Buffer.from("run:password-canary").toString("base64")}`]);
      getValue(await terraform.plan());
      const files = readAllFiles(terraform.directory);
      expect([...files.keys()].some((path) => path.endsWith(".tfplan!tfplan"))).toBe(true);
      for (const [, bytes] of files) expect(bytes.includes("password-canary")).toBe(false);
    });

    test("M065 a value that is passed as a setting appears in plain text in Terraform's files and in the plan", async () => {
      const server = await startStateServer();
      const settings = { address: server.address, username: "run", password: "password-canary" };
      const terraform = openTestTerraform(binary, main, { backend: { type: "http", settings } });
      getValue(await terraform.init());
      getValue(await terraform.plan());
      const files = [...readAllFiles(terraform.directory)]
        .filter(([, bytes]) => bytes.includes("password-canary"))
        .map(([path]) => path);
      expect(files.map((path) => path.replace(/^.*\/[0-9a-f]{64}/, "").replace(terraform.directory, "")).toSorted()).toEqual([
        ".tfplan!tfconfig/m-/cloudwright_backend_override.tf.json",
        ".tfplan!tfplan",
        "/.terraform/terraform.tfstate",
        "/cloudwright_backend_override.tf.json",
      ]);
    });

    test("X031 M072 a state that the backend rejected is kept, and pushed when the backend responds again", async () => {
      const { server, terraform } = await openWithServer(binary);
      const plan = getValue(await terraform.plan());
      server.refuse(["POST"]);
      const outcome = await terraform.apply(plan.id);
      expect(outcome).toMatchObject({
        outcome: "failed",
        fault: { code: "terraform.state_not_saved", retry: "never" },
        erroredState: { serial: expect.any(Number), lineage: expect.any(String) },
      });
      expect(await terraform.pushErroredState()).toMatchObject({ outcome: "failed" });
      expect(await terraform.close()).toMatchObject({ serial: expect.any(Number) });
      server.refuse([]);
      getValue(await terraform.pushErroredState());
      expect(terraform.findErroredState()).toBeUndefined();
      expect(parseState(server.state() ?? "").resources).toHaveLength(2);
      expect(getValue(await terraform.plan())).toMatchObject({ hasChanges: false });
      expect(await terraform.close()).toBeUndefined();
      expect(existsSync(terraform.directory)).toBe(false);
    });

    test("M053 an unavailable backend causes a retryable fault, and nothing is changed", async () => {
      const { server, terraform } = await openWithServer(binary);
      const unavailable = { outcome: "failed", fault: { code: "terraform.state_unavailable", retry: "backoff" } };
      server.refuse(["LOCK"]);
      expect(await terraform.plan()).toMatchObject(unavailable);
      server.refuse(["GET"]);
      for (const outcome of [await terraform.plan(), await terraform.listState(), await terraform.output()]) {
        expect(outcome).toMatchObject(unavailable);
      }
      expect(server.lock()).toBeUndefined();
    });

    test("X030 a leftover lock causes a fault, and is gone after force-unlock", async () => {
      const { server, terraform } = await openWithServer(binary);
      const plan = getValue(await terraform.plan());
      server.refuse(["UNLOCK"]);
      await terraform.apply(plan.id);
      server.refuse([]);
      expect(await terraform.plan()).toMatchObject({ outcome: "failed", fault: { code: "terraform.state_locked" } });
      const { ID } = JSON.parse(server.lock() ?? "{}") as { ID: string };
      getValue(await terraform.forceUnlock(ID));
      expect(getValue(await terraform.plan())).toMatchObject({ hasChanges: false });
    });
  });
});
