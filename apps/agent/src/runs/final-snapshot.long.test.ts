import { createRandom, printSeed } from "@cloudwright/platform/testing";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openRichEntity } from "../testing/rich-specs.ts";
import { openTestPlatform, terraform, type TestPlatform } from "../testing/test-platform.ts";

const types = [{ type: "gp2" }, { type: "gp3" }, { type: "io2", iops: 1000 }, { type: "st1" }];

describe.skipIf(!terraform.found)("volumes with a final snapshot", () => {
  const random = createRandom(printSeed("final snapshots")).next;
  let platform: TestPlatform;
  beforeAll(async () => void (platform = await openTestPlatform()));
  afterAll(() => platform?.close());

  test("M137 X010 leave exactly one snapshot, regardless of their type and of how often the deletion fails", async () => {
    const type = types[Math.floor(random() * types.length)];
    const volume = { sizeGib: 200, zone: "b", finalSnapshot: true, ...type };
    const rich = await openRichEntity(platform, { service: "storage", spec: { volume, infra: { version: "v1.2.0" } } });
    await rich.build();
    const tenant = rich.entity.account.uid;
    const before = await rich.entity.list("aws_ebs_snapshot");
    const failures = 1 + Math.floor(random() * 2);
    await platform.faults.add({
      operation: "delete",
      type: "aws_ebs_volume",
      tenant,
      kind: "error",
      message: "busy",
      times: failures,
    });
    for (let nth = 0; nth < failures; nth += 1) await expect(rich.destroy()).rejects.toThrow("busy");
    await rich.destroy();
    await platform.faults.clear();
    expect(before).toEqual([]);
    const snapshots = await rich.entity.list("aws_ebs_snapshot");
    expect(snapshots.map(({ attributes }) => attributes["volume_size"])).toEqual([200]);
    expect(await rich.entity.list("aws_ebs_volume")).toEqual([]);
  });
});
