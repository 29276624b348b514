import { requireTool } from "@cloudwright/platform";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openPlatform, type Platform } from "../runs/platform.ts";

const tool = requireTool("terraform");
if (!tool.found) console.log(`skipped: ${tool.reason}`);

const vpc = 'aws_vpc.this["network"]';

describe.skipIf(!tool.found)("an operator repairs a state", () => {
  let platform: Platform;
  beforeAll(async () => void (platform = await openPlatform("description: None.\nrules: []\n")));
  afterAll(() => platform?.close());

  const repair = (verb: "adopt" | "forget", ...words: string[]): Promise<string> =>
    platform.cloud("state", verb, ...words, "--yes", "--wait");
  const findSubnet = async (): Promise<{ address: string; id: string }> => {
    const out = await platform.cloud("state", "resources", "network/net", "-o", "json");
    const { items } = JSON.parse(out) as { items: { address: string; id: string }[] };
    const found = items.find(({ address }) => address.startsWith("aws_subnet.intra"));
    if (found === undefined) throw new Error(`no subnet in ${out}`);
    return found;
  };

  test("X010 X080 one resource is forgotten and adopted again, and a resource of another entity is rejected", async () => {
    await platform.createNetwork("net", "--wait");
    await platform.createNetwork("other", "--cidr", "10.9.0.0/16", "--wait");
    const before = await platform.list();
    const { address, id } = await findSubnet();
    const entityUid = (await platform.network("net")).metadata.uid ?? "";

    // Without a terminal, the command requires `--yes`.
    expect((await platform.attempt("admin", "state", "forget", "network/net", address)).code).toBe(4);
    const denied = await platform.attempt("editor", "state", "forget", "network/net", address, "--yes");
    expect([denied.code === 0, denied.err]).toEqual([false, expect.stringContaining("api.denied")]);
    const typo = await platform.attempt("admin", "state", "forget", "network/net", "aws_vpc.that", "--yes");
    expect([typo.code, typo.err]).toEqual([3, expect.stringContaining("aws_vpc.that")]);

    expect(await repair("forget", "network/net", address)).toContain(`forgot ${id}, which stays in the cloud`);
    expect(await repair("forget", "network/net", address)).toContain(`the state does not contain ${address}`);
    expect(await platform.list()).toEqual(before);
    const [newest] =
      (await platform.cloud("state", "versions", "network/net", "--limit", "1", "-o", "json")).match(/op-\w+/) ?? [];
    const timeline = await platform.cloud("get", "operation", newest ?? "", "-o", "yaml");
    expect(timeline).toMatch(/verb: forget/);
    expect(await platform.cloud("events", "network", "net")).toMatch(/ResourceForgotten.*requested by \w+/);

    // The next plan does not adopt the forgotten resource, although it carries the ownership tag.
    const planned = await platform.cloud("state", "resources", "network/net");
    expect(planned).toContain("forgotten");

    const missing = await platform.attempt("admin", "state", "adopt", "network/net", address, "subnet-0", "--yes", "--wait");
    expect(missing.err).toContain("deployer.no_such_resource");
    const undeclared = await platform.attempt(
      "admin",
      "state",
      "adopt",
      "network/net",
      "aws_iam_role.admin",
      "x",
      "--yes",
      "--wait",
    );
    expect(undeclared.err).toContain("deployer.not_adoptable");
    expect(await platform.cloud("state", "adopt", "network/net", address, id, "--dry-run", "--wait")).toContain("can be adopted");
    expect(await repair("adopt", "network/net", address, id)).toContain(`adopted ${id}`);
    expect(await repair("adopt", "network/net", address, id)).toContain("already contains");
    expect((await findSubnet()).id).toBe(id);
    expect(await platform.list()).toEqual(before);

    // The other network's VPC carries that network's ownership tag.
    const foreign = (await platform.list("aws_vpc")).find(({ attributes }) => {
      const { tags } = attributes as { tags?: Record<string, string> };
      return tags?.["cloudwright:entity"] !== entityUid;
    });
    await repair("forget", "network/net", vpc);
    const stolen = await platform.attempt("admin", "state", "adopt", "network/net", vpc, foreign?.id ?? "", "--yes", "--wait");
    expect(stolen.err).toContain("deployer.owned_by_other");

    // A forgotten resource survives the deletion of its entity.
    await repair("adopt", "network/net", vpc, ownVpc(before, entityUid));
    await repair("forget", "network/other", vpc);
    await platform.cloud("network", "delete", "net", "--yes", "--wait");
    await platform.attempt("admin", "network", "delete", "other", "--yes", "--wait");
    expect((await platform.list()).map(({ type, id: left }) => [type, left])).toEqual([["aws_vpc", foreign?.id]]);
  });

  test("X010 a deletion that a forgotten gateway blocks fails immediately, and continues after the command in the message has run", async () => {
    const kept = await platform.list();
    await platform.createNetwork("gate", "--cidr", "10.10.0.0/16", "--wait");
    const out = await platform.cloud("state", "resources", "network/gate", "-o", "json");
    const { items } = JSON.parse(out) as { items: { address: string }[] };
    const gateway = items.find(({ address }) => address.startsWith("aws_internet_gateway."));
    await repair("forget", "network/gate", gateway?.address ?? "");
    const blocked = await platform.attempt("admin", "network", "delete", "gate", "--yes", "--wait");
    expect(blocked.code).not.toBe(0);
    expect(blocked.err).toContain("deployer.forgotten_blocks");
    const [, address = "", id = ""] = /cloud state adopt network\/gate '([^']+)' ([\w-]+)/.exec(blocked.err) ?? [];
    expect(address).toBe(gateway?.address);
    await repair("adopt", "network/gate", address, id);
    const operation = (await platform.network("gate")).metadata.operation ?? "";
    await platform.cloud("operation", "retry", operation, "--wait");
    expect(await platform.list()).toEqual(kept);
  });
});

function ownVpc(records: Awaited<ReturnType<Platform["list"]>>, entityUid: string): string {
  const found = records.find(({ type, attributes }) => {
    const { tags } = attributes as { tags?: Record<string, string> };
    return type === "aws_vpc" && tags?.["cloudwright:entity"] === entityUid;
  });
  return found?.id ?? "";
}
