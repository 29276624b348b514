import { CreateBucketCommand, DeleteObjectCommand, PutBucketVersioningCommand, PutObjectCommand } from "@aws-sdk/client-s3";
import { requireTool, Secret, systemClock } from "@cloudwright/platform";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { startMotoServer, type MotoServer } from "../testing/index.ts";
import { createAwsApi, type AwsApi } from "./api.ts";
import { countObjects } from "./count-objects.ts";
import { createCredentialSource } from "./credentials.ts";

const moto = requireTool("moto_server");
const region = "eu-west-1";

describe.skipIf(!moto.found)(`the objects of a bucket${moto.found ? "" : `: ${moto.reason}`}`, () => {
  let server: MotoServer;
  let api: AwsApi;

  beforeAll(async () => {
    server = await startMotoServer(moto.found ? moto.path : "");
    const keys = { by: "keys", accessKeyId: "AKIAIOSFODNN7EXAMPLE", secretAccessKey: new Secret("s") } as const;
    const options = { endpoints: { AWS_ENDPOINT_URL: server.address }, region, sessionName: "t" };
    const source = createCredentialSource({ clock: systemClock, openAccess: async () => ({ first: keys }) }, options);
    api = createAwsApi(source, options);
  });
  afterAll(async () => {
    api.close();
    await server.close();
  });

  const fill = (Bucket: string, keys: readonly string[], options: { versioned?: boolean; remove?: string } = {}) =>
    api.call("fill a bucket", async (clients) => {
      const s3 = await clients.s3();
      await s3.send(new CreateBucketCommand({ Bucket, CreateBucketConfiguration: { LocationConstraint: region } }));
      if (options.versioned === true)
        await s3.send(new PutBucketVersioningCommand({ Bucket, VersioningConfiguration: { Status: "Enabled" } }));
      for (const Key of keys) await s3.send(new PutObjectCommand({ Bucket, Key, Body: "x" }));
      if (options.remove !== undefined) await s3.send(new DeleteObjectCommand({ Bucket, Key: options.remove }));
    });

  test("M137 include old versions and delete markers, because they prevent deletion", async () => {
    await fill("versions", ["a", "a", "b"], { versioned: true, remove: "b" });
    expect(await countObjects(api, "versions")).toBe(4);
  });

  test("M137 are zero in an empty or missing bucket", async () => {
    await fill("empty", []);
    expect(await countObjects(api, "empty")).toBe(0);
    expect(await countObjects(api, "gone")).toBe(0);
  });

  test("M137 are counted across pages, even between versions of one object, up to the limit", async () => {
    await fill("pages", ["a", "b", "b", "b", "c"], { versioned: true });
    const callsOf = async (atMost: number): Promise<{ count: number; calls: number }> => {
      const before = server.seen.length;
      return { count: await countObjects(api, "pages", { atMost, perPage: 2 }), calls: server.seen.length - before };
    };
    expect(await callsOf(100)).toEqual({ count: 5, calls: 3 });
    expect(await callsOf(4)).toEqual({ count: 4, calls: 2 });
    expect(await callsOf(1)).toEqual({ count: 1, calls: 1 });
  });

  test("M137 are not reported as zero if access is denied", async () => {
    await fill("closed", ["a"]);
    server.refuse(({ service }) =>
      service === "s3" ? { status: 403, body: "<Error><Code>AccessDenied</Code><Message>no</Message></Error>" } : undefined,
    );
    await expect(countObjects(api, "closed")).rejects.toMatchObject({ code: "clouds.not_allowed" });
    server.refuse(undefined);
  });
});
