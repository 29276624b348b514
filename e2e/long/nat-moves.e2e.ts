import { requireTool } from "@cloudwright/platform";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openPlatform, type Platform } from "../runs/platform.ts";

const tool = requireTool("terraform");
if (!tool.found) console.log(`skipped: ${tool.reason}`);

describe.skipIf(!tool.found)("NAT gateways that move, from the user's perspective", () => {
  let platform: Platform;
  beforeAll(async () => void (platform = await openPlatform("description: No further rules.\nrules: []\n")));
  afterAll(() => platform?.close());

  const natZone = (zone: string, ...args: string[]): string[] => ["network", "update", "net", "--aws-nat-zone", zone, ...args];
  const listGateways = async (): Promise<unknown[]> =>
    (await platform.list("aws_nat_gateway")).map(({ attributes }) => (attributes["tags"] as { Name: string }).Name).toSorted();
  const listRouteStates = async (): Promise<unknown[]> => {
    const routes = (await platform.list("aws_route")).filter(({ attributes }) => (attributes["nat_gateway_id"] ?? "") !== "");
    return routes.map(({ attributes }) => attributes["state"]);
  };

  test("M115 X030 X032 after an interrupted move, a move to a third zone waits for one approval that names both gateways", async () => {
    await platform.createNetwork("net", "--zones", "b", "--zones", "c", "--nat", "single", "--aws-nat-zone", "b", "--wait");
    expect(await listGateways()).toEqual(["net-eu-west-1b"]);

    // One route already uses the new gateway when the first run of the move fails.
    const message = "UnauthorizedOperation: you are not authorized to perform this operation";
    await platform.faults.add({ operation: "update", type: "aws_route", nth: 2, kind: "error", message });
    expect((await platform.attempt("admin", ...natZone("a", "--allow", "delete", "--wait"))).code).toBe(7);
    expect(await listGateways()).toEqual(["net-eu-west-1a", "net-eu-west-1b"]);
    expect(new Set(await listRouteStates())).toEqual(new Set(["active"]));

    await platform.cloud(...natZone("c"));
    const { uid } = await platform.awaitRun("net", "NEEDS_APPROVAL");
    const plan = await platform.cloud("run", "plan", "network/net");
    // The unfinished gateway may carry traffic, and the approval of the earlier request did not cover its deletion. The deletion therefore
    // needs a new approval.
    expect(plan).toMatch(/must +keep-traffic +aws_nat_gateway\.this\["eu-west-1a"\]/);
    expect(plan).toMatch(/must +keep-gateways +aws_nat_gateway\.this\["eu-west-1b"\]/);
    await platform.cloud("run", "approve", uid, "--yes", "--wait");
    expect(await listGateways()).toEqual(["net-eu-west-1c"]);
    expect(await listRouteStates()).toEqual(["active", "active", "active"]);
    // The second run deletes the former gateway without another approval.
    const [second, first] = await platform.runs("net");
    expect(first).toMatchObject({ uid, state: "DONE", approvedBy: "admin" });
    expect(second).toMatchObject({ state: "DONE", approvedBy: "", operation: first?.operation, counts: { delete: 2 } });

    await platform.cloud("network", "delete", "net", "--yes", "--wait");
    expect(await platform.list()).toEqual([]);
  });
});
