import { CreateVolumeCommand, DeleteVolumeCommand, DescribeSnapshotsCommand } from "@aws-sdk/client-ec2";
import { requireTool, Secret, systemClock } from "@cloudwright/platform";
import { expect, test } from "vitest";
import { startMotoServer } from "../testing/index.ts";
import { createAwsApi } from "./api.ts";
import { createCredentialSource } from "./credentials.ts";
import { snapshotVolume } from "./final-snapshot.ts";

const moto = requireTool("moto_server");

test.skipIf(!moto.found)(
  "M137 X010 attempts to delete a volume share one final snapshot, even after the volume is gone",
  async () => {
    const server = await startMotoServer(moto.found ? moto.path : "");
    const keys = { by: "keys", accessKeyId: "AKIAIOSFODNN7EXAMPLE", secretAccessKey: new Secret("s") } as const;
    const options = { endpoints: { AWS_ENDPOINT_URL: server.address }, region: "eu-west-1", sessionName: "t" };
    const source = createCredentialSource({ clock: systemClock, openAccess: async () => ({ first: keys }) }, options);
    const api = createAwsApi(source, options);
    const create = () =>
      api.call("create", async (clients) => {
        const volume = new CreateVolumeCommand({ AvailabilityZone: "eu-west-1a", Size: 1, VolumeType: "gp2" });
        return (await (await clients.ec2()).send(volume)).VolumeId ?? "";
      });
    const list = () =>
      api.call("list", async (clients) => {
        const filter = new DescribeSnapshotsCommand({ Filters: [{ Name: "description", Values: ["Final snapshot*"] }] });
        return (await (await clients.ec2()).send(filter)).Snapshots ?? [];
      });
    const [volumeId, other] = [await create(), await create()];
    const snapshot = { entityUid: "us", name: "data", tags: { team: "shop" } };
    expect(await snapshotVolume(api, volumeId, snapshot)).toBe(false);
    expect(await snapshotVolume(api, volumeId, snapshot)).toBe(true);
    await snapshotVolume(api, other, { ...snapshot, entityUid: "they" });
    await api.call("delete", async (clients) => (await clients.ec2()).send(new DeleteVolumeCommand({ VolumeId: volumeId })));
    expect(await snapshotVolume(api, volumeId, snapshot)).toBe(true);
    expect(await snapshotVolume(api, "vol-0123456789abcdef0", { ...snapshot, entityUid: "gone" })).toBe(true);
    const found = await list();
    expect(new Set(found.map(({ VolumeId }) => VolumeId))).toEqual(new Set([volumeId, other]));
    expect(found).toHaveLength(2);
    expect(found.find(({ VolumeId }) => VolumeId === volumeId)?.Tags).toEqual(
      expect.arrayContaining([
        { Key: "Name", Value: "data-final" },
        { Key: "team", Value: "shop" },
      ]),
    );
    api.close();
    await server.close();
  },
);
