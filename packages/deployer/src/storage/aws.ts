import { Fault } from "@cloudwright/platform";
import { pickOutputs } from "@cloudwright/terraform";
import { deployerFaults } from "../faults.ts";
import { getNetwork } from "../find-network.ts";
import { numberOf, objectOf, textOf } from "../read-spec.ts";
import type { Stack } from "../stack.ts";
import type { DeployedEntity, JsonObject } from "../task.ts";

/** Storage in AWS: a bucket of S3 or a volume of EBS. */
export const awsStorage: Stack = {
  service: "storage",
  cloud: "aws",
  variables(entity, _account, around) {
    const { region } = getNetwork(entity, around);
    return {
      name: entity.name,
      region,
      ...renderType(entity, region),
      owner: { project: entity.project, entity: entity.uid },
      tags: { ...entity.labels },
    };
  },
  environment: () => ({}),
  status(outputs) {
    const { values, problems } = pickOutputs(outputs, { resource_id: "text", arn: "text", domain_name: "text" });
    if (problems.length > 0) {
      const said = problems.map(({ field, message }) => `${field} ${message}`).join(", ");
      throw new Fault(deployerFaults.bad_outputs, `the storage's outputs are not as they should be: ${said}`);
    }
    return values;
  },
  // The settings of a bucket go by its name.
  findUntagged({ type, names }, tagged) {
    const bucket = names.map((id) => tagged.get(id)).find((address) => address?.startsWith("aws_s3_bucket."));
    return type.startsWith("aws_s3_bucket_") ? bucket?.replace("aws_s3_bucket", type) : undefined;
  },
};

function renderType({ name, spec }: DeployedEntity, region: string): JsonObject {
  if (spec["volume"] === undefined) {
    const bucket = objectOf(spec["bucket"]);
    return {
      bucket: {
        versioning: bucket["versioning"] === true,
        expire_after_days: numberOf(bucket["expireAfterDays"]),
        force_destroy: bucket["forceDestroy"] === true,
      },
    };
  }
  const volume = objectOf(spec["volume"]);
  const asked = textOf(volume["zone"]) || "a";
  const zone = /^[a-z]$/.test(asked) ? region + asked : asked;
  if (!zone.startsWith(region)) throw new Fault(deployerFaults.bad_spec, `the zone "${zone}" of ${name} is not in ${region}`);
  const type = textOf(volume["type"]);
  return { volume: { zone, size_gib: numberOf(volume["sizeGib"]), ...(type === "" ? {} : { type }) } };
}
