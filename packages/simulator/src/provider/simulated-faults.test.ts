import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { createSimulatedCloud, requirement, tools, type SimulatedCloud } from "../testing/simulated-cloud.ts";
import type { Run } from "../testing/terraform-stack.ts";

const { terraform } = tools;
const modes = ["resident", "spawned"] as const;
const buckets = (...names: string[]): string =>
  names.map((name) => `resource "sim_bucket" "${name}" {\n  name = "${name}"\n}\n`).join("");
const cluster = `
provider "sim" { token = "canary-token" }
resource "sim_cluster" "main" {
  name       = "main"
  release    = "1.33"
  subnet_ids = []
  password   = "canary-password"
  join_token = "canary-write-only"
  pool {
    name = "a"
    size = 1
  }
}
`;

describe.skipIf(!terraform.found)(`simulated faults${terraform.found ? "" : `: skipped, ${terraform.reason}`}`, () => {
  let cloud: SimulatedCloud;

  beforeEach(async () => {
    cloud = await createSimulatedCloud(terraform.found ? terraform.path : "terraform", "resident");
  });

  afterEach(async () => {
    await cloud.close();
  });

  const ids = async (): Promise<string[]> => (await cloud.inventory.list("a")).map(({ id }) => id);

  test("the planned creation fails with the planned error, and the next run creates only the missing resources", async () => {
    await cloud.faults.add({ kind: "error", message: "QuotaExceeded", operation: "create", type: "sim_bucket", nth: 2 });
    const stack = await cloud.openStack(buckets("one", "two", "three"));
    const first = await stack.run("apply", "-auto-approve", "-input=false", "-json", "-parallelism=1");
    expect(first.code).toBe(1);
    expect(diagnostics(first)).toMatchObject([{ severity: "error", summary: "QuotaExceeded" }]);
    expect(await ids()).toHaveLength(2);
    const second = await stack.run("apply", "-auto-approve", "-input=false", "-json");
    expect(second).toMatchObject({ code: 0 });
    expect(second.events.filter(({ type }) => type === "apply_complete")).toHaveLength(1);
    expect(await ids()).toEqual(["one", "three", "two"]);
  });

  test("Terraform knows about a partially failed creation and replaces the resource", async () => {
    await cloud.faults.add({ kind: "error", message: "HalfMade", operation: "create", afterEffect: true });
    const stack = await cloud.openStack(buckets("one"));
    expect((await stack.run("apply", "-auto-approve", "-input=false")).code).toBe(1);
    expect(JSON.parse(await stack.readState())).toMatchObject({ resources: [{ instances: [{ status: "tainted" }] }] });
    expect(await ids()).toEqual(["one"]);
    expect((await stack.run("apply", "-auto-approve", "-input=false")).code).toBe(0);
    expect(await ids()).toEqual(["one"]);
  });

  test("a failed update and a failed deletion leave state and cloud unchanged", async () => {
    const stack = await cloud.openStack(buckets("one"));
    expect((await stack.run("apply", "-auto-approve", "-input=false")).code).toBe(0);
    await cloud.faults.add(
      { kind: "error", message: "no", operation: "update" },
      { kind: "error", message: "no", operation: "delete" },
    );
    const before = await cloud.inventory.list("a");
    await stack.write(requirement + buckets("one").replace("}", "  ratio = 2\n}"));
    expect((await stack.run("apply", "-auto-approve", "-input=false")).code).toBe(1);
    expect((await stack.run("destroy", "-auto-approve", "-input=false")).code).toBe(1);
    expect(await cloud.inventory.list("a")).toEqual(before);
    expect(JSON.parse(await stack.readState())).toMatchObject({
      resources: [{ instances: [{ attributes: { id: "one", ratio: null } }] }],
    });
  });

  test.each(modes)(
    "after a lost reply from a %s provider, the resource exists, but Terraform knows it only after an import",
    async (mode) => {
      await cloud.faults.add({ kind: "lost_reply", operation: "create", type: "sim_bucket" });
      const stack = await cloud.openStack(buckets("one"), { mode });
      expect((await stack.run("apply", "-auto-approve", "-input=false")).code).toBe(1);
      expect(await ids()).toEqual(["one"]);
      expect((await stack.run("state", "list")).output).not.toContain("sim_bucket");
      const again = await stack.run("apply", "-auto-approve", "-input=false", "-json");
      expect(diagnostics(again)).toMatchObject([{ summary: "sim_bucket one already exists" }]);
      expect((await stack.run("import", "-input=false", "sim_bucket.one", "one")).code).toBe(0);
      expect((await stack.run("plan", "-input=false", "-detailed-exitcode")).code).toBe(0);
    },
  );

  test.each(
    modes.flatMap((mode) => [
      [mode, "crashes", { kind: "crash" }] as const,
      [mode, "sends an invalid reply", { kind: "rubbish" }] as const,
    ]),
  )("a %s provider that %s fails the run, and the next run succeeds", async (mode, _what, fault) => {
    await cloud.faults.add({ ...fault, operation: "plan" });
    const stack = await cloud.openStack(buckets("one"), { mode });
    const failed = await stack.run("apply", "-auto-approve", "-input=false", "-json");
    expect(failed.code).toBe(1);
    expect(diagnostics(failed).map(({ severity }) => severity)).toContain("error");
    expect(await ids()).toEqual([]);
    expect((await stack.run("apply", "-auto-approve", "-input=false")).code).toBe(0);
    expect(await ids()).toEqual(["one"]);
  });

  test.each(["error", "warning"] as const)(
    "a provider that echoes secrets reveals them in its diagnostics: %s",
    async (where) => {
      await cloud.faults.add({ kind: "echo_secrets", where, operation: "create" });
      const stack = await cloud.openStack(cluster);
      const result = await stack.run("apply", "-auto-approve", "-input=false", "-json");
      expect(result.code).toBe(where === "error" ? 1 : 0);
      const [said] = diagnostics(result).filter(({ severity }) => severity === where);
      for (const secret of ["canary-password", "canary-write-only", "canary-token"]) expect(said?.detail).toContain(secret);
    },
  );

  test("a slow provider delays the run without failing it", async () => {
    await cloud.faults.add({ kind: "slow", delayMs: 20, operation: "create", times: 5 });
    const stack = await cloud.openStack(buckets("one", "two"));
    expect((await stack.run("apply", "-auto-approve", "-input=false")).code).toBe(0);
    expect(await ids()).toEqual(["one", "two"]);
  });

  test("reading, importing, configuring, validating and data sources can fail as well", async () => {
    const stack = await cloud.openStack(`${buckets("one")}data "sim_zones" "here" {}\n`);
    for (const operation of ["configure", "validate", "data"] as const) {
      await cloud.faults.add({ kind: "error", message: `no ${operation}`, operation });
      expect(diagnostics(await stack.run("plan", "-input=false", "-json"))).toContainEqual(
        expect.objectContaining({ summary: `no ${operation}` }),
      );
    }
    expect((await stack.run("apply", "-auto-approve", "-input=false")).code).toBe(0);
    await cloud.faults.add({ kind: "error", message: "no import", operation: "import" });
    expect((await stack.run("import", "-input=false", "sim_bucket.two", "one")).code).toBe(1);
    await cloud.faults.add({ kind: "error", message: "no read", operation: "read" });
    expect(diagnostics(await stack.run("plan", "-input=false", "-json"))).toMatchObject([{ summary: "no read" }]);
    expect((await stack.run("plan", "-input=false", "-detailed-exitcode")).code).toBe(0);
  });
});

function diagnostics({ events }: Run): { severity: string; summary: string; detail: string }[] {
  return events.flatMap(({ diagnostic }) => (diagnostic === undefined ? [] : [diagnostic]));
}
