import { requireTool, Secret, systemClock } from "@cloudwright/platform";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { startMotoServer, type MotoServer } from "../testing/index.ts";
import { createAwsApi } from "./api.ts";
import { callJson } from "./call-json.ts";
import { createCredentialSource, type CredentialSource } from "./credentials.ts";
import { listKeyAliases } from "./key-aliases.ts";
import { listTaggedResources } from "./owned-resources.ts";

const moto = requireTool("moto_server");
const region = "eu-west-1";
const tag = { key: "cloudwright:entity", value: "us" };

describe.skipIf(!moto.found)(`resources of an interrupted run${moto.found ? "" : `: ${moto.reason}`}`, () => {
  let server: MotoServer;
  let source: CredentialSource;
  let place: { region: string; endpoints: { AWS_ENDPOINT_URL: string } };
  beforeAll(async () => {
    server = await startMotoServer(moto.found ? moto.path : "");
    place = { region, endpoints: { AWS_ENDPOINT_URL: server.address } };
    const keys = { by: "keys", accessKeyId: "AKIAIOSFODNN7EXAMPLE", secretAccessKey: new Secret("s") } as const;
    const deps = { clock: systemClock, openAccess: async () => ({ first: keys }) };
    source = createCredentialSource(deps, { ...place, sessionName: "t" });
  });
  afterAll(() => server?.close());

  const callKms = (action: string, body: object) =>
    callJson(source, { ...place, service: "kms", target: `TrentService.${action}`, doing: "prepare a test", body });
  const createKey = async (alias: string, value: string): Promise<string> => {
    const { KeyMetadata } = await callKms("CreateKey", { Tags: [{ TagKey: tag.key, TagValue: value }] });
    const { KeyId } = KeyMetadata as { KeyId: string };
    await callKms("CreateAlias", { AliasName: alias, TargetKeyId: KeyId });
    return KeyId;
  };

  test("X031 include the aliases of the entity's own KMS keys", async () => {
    const key = await createKey("alias/cluster-us", "us");
    await createKey("alias/cluster-other", "other");
    const tagged = await listTaggedResources(createAwsApi(source, place), tag);
    expect(tagged).toContainEqual(expect.objectContaining({ type: "aws_kms_key", id: key }));
    const alias = { type: "aws_kms_alias", id: "alias/cluster-us", tags: {}, names: [key] };
    expect(await listKeyAliases(source, place, tagged)).toEqual([alias]);
  });

  test("X031 are listed although the tags still name a deleted key, VPC or route table", async () => {
    const gone = { type: "aws_kms_key", id: "00000000-0000-4000-8000-000000000000", tags: {}, names: [] };
    expect(await listKeyAliases(source, place, [gone])).toEqual([]);
    const items = ["vpc-0123456789abcdef0", "rtb-0123456789abcdef0"].map(
      (id) => `<item><resourceId>${id}</resourceId><key>${tag.key}</key><value>us</value></item>`,
    );
    const body = `<DescribeTagsResponse xmlns="http://ec2.amazonaws.com/doc/2016-11-15/"><tagSet>${items.join("")}</tagSet></DescribeTagsResponse>`;
    server.refuse(({ action }) => (action === "DescribeTags" ? { status: 200, body } : undefined));
    const tagged = await listTaggedResources(createAwsApi(source, place), tag);
    server.refuse(undefined);
    expect(tagged.map(({ type }) => type)).toEqual(expect.arrayContaining(["aws_vpc", "aws_route_table"]));
    expect(tagged.filter(({ tags }) => Object.keys(tags).length === 0)).toEqual([]);
  });
});
