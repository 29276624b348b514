import { describeCloudPart } from "@cloudwright/clouds/testing";
import { openFirewall, type runTool, type ToolResult } from "@cloudwright/hosts";
import { systemClock } from "@cloudwright/platform";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { createPart } from "./create-part.ts";
import { createSecurityGroups } from "./security-group.ts";

/** Opens the firewall of a host whose kernel accepts every set of rules. */
async function openFixture() {
  const directory = await mkdtemp(join(tmpdir(), "cw-groups-"));
  const run: typeof runTool = async (): Promise<ToolResult> => {
    return { code: 0, stdout: "", stderr: "" };
  };
  const firewall = await openFirewall({ directory, run, clock: systemClock });
  const groups = createSecurityGroups({ host: { firewall } });
  return { firewall, groups, close: () => rm(directory, { recursive: true, force: true }) };
}

const ssh = { direction: "ingress", protocol: "tcp", from_port: 22, to_port: 22, cidr: "10.0.0.0/8", group: "" };
const fromSelf = (uid: string) => ({
  direction: "egress",
  protocol: "all",
  from_port: 0,
  to_port: 0,
  cidr: "",
  group: `${uid}-main`,
});

describeCloudPart("security groups of a host", async () => {
  const { groups, close } = await openFixture();
  return {
    open: (entityUid) => createPart(entityUid, groups),
    attributes: (entityUid) => ({ rules: [ssh, fromSelf(entityUid)] }),
    change: { rules: [{ ...ssh, to_port: 23 }] },
    close,
  };
});

test("M206 a rule that the firewall cannot enforce is rejected, and the rules in force stay", async () => {
  const { firewall, groups, close } = await openFixture();
  const { signal } = new AbortController();
  await groups.create("g", { rules: [ssh] }, signal);
  const wrong = groups.update("g", { rules: [{ ...ssh, protocol: "sctp" }] }, signal);
  await expect(wrong).rejects.toMatchObject({ code: "hosts.bad_rule" });
  expect((await firewall.listGroups()).map(({ rules }) => rules.length)).toEqual([1]);
  await close();
});
