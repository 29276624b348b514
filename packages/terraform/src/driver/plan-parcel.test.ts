import { Secret } from "@cloudwright/platform";
import { createHash } from "node:crypto";
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { zstdCompressSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import type { Binary } from "../binaries/binary.ts";
import { startStateServer } from "../testing/state-server.ts";
import { findTestEngines, openTestTerraform } from "../testing/test-terraform.ts";
import { createHttpBackend } from "./backends/http.ts";
import { getValue } from "./command-report.ts";
import { packParcel, unpackParcel } from "./plan-parcel.ts";

const main = `
  variable "size" { type = number }
  variable "token" {
    type      = string
    sensitive = true
  }
  resource "terraform_data" "a" { input = [var.size, var.token] }`;
const secretVariables = { token: new Secret("canary-4711-canary") };
const overrides = [{ resource: { terraform_data: { a: { triggers_replace: "x" } } } }];

async function openStack(binary: Binary) {
  const server = await startStateServer();
  const credentials = { username: "run", password: new Secret("password-canary"), retryMax: 0 };
  const open = async (options: Partial<Parameters<typeof openTestTerraform>[2]> & { main?: string; isBare?: boolean } = {}) => {
    const backend = createHttpBackend({ ...credentials, address: server.address });
    const { main: text = main, isBare = false, ...more } = options;
    const terraform = openTestTerraform(binary, text, {
      ...(isBare ? {} : { variables: { size: 1 } }),
      secretVariables,
      overrides,
      backend,
      ...more,
    });
    getValue(await terraform.init());
    return terraform;
  };
  return { server, credentials, open };
}

describe.each(findTestEngines())("with $name", ({ binary, skip }) => {
  describe.skipIf(skip)("on this machine", () => {
    test("M071 X032 a plan can be applied in a new directory after its original directory is gone", async () => {
      const { server, open } = await openStack(binary);
      const first = await open();
      const plan = getValue(await first.plan());
      const parcel = await first.packPlan(plan.id);
      await first.close();
      expect(existsSync(first.directory)).toBe(false);
      const second = await open({ isBare: true });
      await second.unpackPlan(plan.id, parcel);
      expect(getValue(await second.apply(plan.id)).summary).toMatchObject({ add: 1 });
      expect(JSON.parse(server.state() ?? "{}").resources[0].instances[0].attributes.input.value[0]).toBe(1);
      await second.close();

      const third = await open();
      await third.unpackPlan(plan.id, parcel);
      expect(await third.apply(plan.id)).toMatchObject({ outcome: "failed", fault: { code: "terraform.plan_stale" } });
    });

    test("M071 a plan is rejected if configuration, overrides, lock file, state or program differ", async () => {
      const { credentials, server, open } = await openStack(binary);
      const first = await open();
      const { id } = getValue(await first.plan());
      const parcel = await first.packPlan(id);
      const other = { ...binary, version: "1.99.0" };
      const elsewhere = createHttpBackend({ ...credentials, address: `${server.address}/other` });
      const lockFile = "# another lock\n";
      for (const [options, what] of [
        [{ main: `${main}\n` }, "configuration"],
        [{ overrides: [] }, "configuration"],
        [{ variables: { size: 99 } }, "variables"],
        [{ binary: other }, "program"],
        [{ backend: elsewhere }, "state"],
        [{ lockFile }, "provider lock"],
      ] as const) {
        const second = await open(options);
        const refused = { code: "terraform.plan_mismatch", kind: "conflict", extra: { other: what } };
        await expect(second.unpackPlan(id, parcel)).rejects.toMatchObject(refused);
        await expect(second.apply(id)).rejects.toMatchObject({ code: "terraform.plan_unknown" });
      }
    });

    test("M071 a parcel that was modified, truncated or contains another plan is rejected, and a plan that is too large is not packed", async () => {
      const { open } = await openStack(binary);
      const terraform = await open();
      const { id } = getValue(await terraform.plan());
      const parcel = Buffer.from(await terraform.packPlan(id));
      const flip = (at: number) =>
        Buffer.concat([parcel.subarray(0, at), Buffer.of((parcel[at] as number) ^ 1), parcel.subarray(at + 1)]);
      const broken = [
        flip(0),
        flip(6),
        flip(10),
        flip(60),
        flip(parcel.length - 1),
        parcel.subarray(0, -1),
        parcel.subarray(0, 20),
        Buffer.alloc(0),
      ];
      for (const each of broken) {
        await expect(terraform.unpackPlan(id, each)).rejects.toMatchObject({ code: "terraform.plan_changed" });
      }
      const second = getValue(await terraform.plan({ mode: "refresh" }));
      await expect(terraform.unpackPlan(id, await terraform.packPlan(second.id))).rejects.toMatchObject({
        code: "terraform.plan_changed",
      });
      await expect(terraform.packPlan("0".repeat(64))).rejects.toMatchObject({ code: "terraform.plan_unknown" });
      const small = await open({ directory: terraform.directory, longestPlanBytes: 100 });
      await expect(small.packPlan(id)).rejects.toMatchObject({ code: "terraform.plan_too_large" });
      await expect(small.unpackPlan(id, parcel)).rejects.toMatchObject({ code: "terraform.plan_too_large" });
    });
  });
});

test("M071 a decompression bomb is rejected before it exhausts memory", async () => {
  const packed = zstdCompressSync(Buffer.alloc(50_000_000));
  const hash = createHash("sha256").update(packed).digest();
  const bomb = Buffer.concat([Buffer.from("CWPLAN"), Buffer.of(1), hash, packed]);
  expect(bomb.length).toBeLessThan(10_000);
  await expect(unpackParcel(bomb, 1_000_000)).rejects.toMatchObject({ code: "terraform.plan_too_large" });
  const facts = { program: "terraform 1.2.3", configuration: "a", lockFile: "b", state: "c", variables: "d" };
  const plan = Buffer.from("plan");
  expect(await unpackParcel(await packParcel(facts, plan), 1000)).toEqual({ circumstances: facts, plan });
});

test.skipIf(findTestEngines()[0]?.skip)(
  "M061 the provider lock file can be put into the directory and read from it",
  async () => {
    const [engine] = findTestEngines();
    const lockFile = "# kept\n";
    const { binary } = engine as { binary: Binary };
    const terraform = openTestTerraform(binary, 'resource "terraform_data" "a" {}');
    getValue(await terraform.init());
    expect(await terraform.readLockFile()).toBeUndefined();
    const locked = openTestTerraform(binary, "", { lockFile });
    expect(await locked.readLockFile()).toBe(lockFile);
    writeFileSync(join(locked.directory, ".terraform.lock.hcl"), "");
    expect(await locked.readLockFile()).toBe("");
  },
);
