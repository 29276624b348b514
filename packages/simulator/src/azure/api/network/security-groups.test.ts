import { objectOf, textOf } from "@cloudwright/platform";
import { afterEach, beforeEach, expect, test } from "vitest";
import { createMachine, location, openAzure, type AzureUnderTest, type Reply, type SendRequest } from "../testing/open-azure.ts";

let azure: AzureUnderTest;
let send: SendRequest;
beforeEach(async () => {
  azure = await openAzure();
  send = await azure.connect("a");
});
afterEach(() => azure.close());

const waitMs = 120_000;
const network = "~/providers/Microsoft.Network";
const shared = `${network}/networkSecurityGroups/shared`;
const members = `${network}/applicationSecurityGroups/members`;

const rule = (name: string, priority: number, more: object = {}) => ({
  name,
  properties: {
    priority,
    direction: "Inbound",
    access: "Allow",
    protocol: "Tcp",
    sourcePortRange: "*",
    destinationPortRange: "22",
    sourceAddressPrefix: "*",
    destinationAddressPrefix: "*",
    ...more,
  },
});
const put = (securityRules: readonly object[], headers: Readonly<Record<string, string>> = {}): Promise<Reply> =>
  send("PUT", shared, { body: { location, properties: { securityRules } }, headers });
const create = async (): Promise<string> => {
  const { body } = await send("PUT", members, { body: { location } });
  azure.advance(waitMs);
  return textOf(body["id"]);
};

test("M148 of several concurrent changes with the same ETag, one succeeds", async () => {
  const created = await Promise.all([1, 2, 3].map((number) => put([rule(`r${number}`, 100)], { "if-none-match": "*" })));
  expect(created.map(({ status }) => status).toSorted((one, other) => one - other)).toEqual([201, 412, 412]);
  azure.advance(waitMs);
  const etag = textOf((await send("GET", shared)).body["etag"]);
  const changed = await Promise.all([1, 2, 3].map((number) => put([rule(`c${number}`, 100)], { "if-match": etag })));
  expect(changed.map(({ status }) => status).toSorted((one, other) => one - other)).toEqual([200, 412, 412]);
  azure.advance(waitMs);
  expect((await send("DELETE", shared, { headers: { "if-match": etag } })).code).toBe("PreconditionFailed");
});

test("M148 rules need priorities of their own, and application security groups that exist", async () => {
  expect((await put([rule("a", 100), rule("b", 100)])).code).toBe("SecurityRuleConflict");
  expect((await put([rule("a", 99)])).code).toBe("SecurityRuleInvalidPriority");
  expect((await put([rule("a", 100), rule("A", 101)])).code).toBe("DuplicateResourceName");
  const id = await create();
  const ends = { sourceApplicationSecurityGroups: [{ id: `${id}x` }] };
  expect((await put([rule("a", 100, ends)])).code).toBe("InvalidResourceReference");
  const many = Array.from({ length: 1001 }, (_none, index) => rule(`r${index}`, 100 + index));
  expect((await put(many)).code).toBe("MaxNumberOfSecurityRulesReached");
  expect((await put(many.slice(0, 1000))).status).toBe(201);
});

test("M148 an application security group in use is not deleted, and a network interface shows its groups", async () => {
  const id = await create();
  await put([rule("a", 100, { destinationApplicationSecurityGroups: [{ id }], destinationAddressPrefix: "" })]);
  azure.advance(waitMs);
  const [found] = objectOf((await send("GET", shared)).body["properties"])["securityRules"] as unknown as {
    properties: object;
  }[];
  expect(found?.properties).toMatchObject({ destinationApplicationSecurityGroups: [{ id }] });
  const refused = await send("DELETE", members);
  expect([refused.status, refused.code]).toEqual([409, "ApplicationSecurityGroupInUse"]);
  await createMachine(send);
  azure.advance(waitMs);
  const card = `${network}/networkInterfaces/vm-nic`;
  const { body } = await send("GET", card);
  const properties = objectOf(body["properties"]);
  const configurations = (properties["ipConfigurations"] as unknown as { properties: object }[]).map((each) => ({
    ...each,
    properties: { ...each.properties, applicationSecurityGroups: [{ id }] },
  }));
  const change = (ipConfigurations: readonly object[]): Promise<Reply> =>
    send("PUT", card, { body: { location, properties: { ...properties, ipConfigurations } } });
  expect((await change(configurations)).status).toBe(200);
  azure.advance(waitMs);
  expect(JSON.stringify((await send("GET", card)).body)).toContain(`"applicationSecurityGroups":[{"id":"${id}"}]`);
  await send("DELETE", shared);
  azure.advance(waitMs);
  expect((await send("DELETE", members)).code).toBe("ApplicationSecurityGroupInUse");
});
