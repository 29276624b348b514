import { listOf, objectOf, textOf } from "@cloudwright/platform";
import type { ApiCall, ApiOperation } from "../../../api/api-service.ts";
import { listRecords } from "../../../api/read-records.ts";
import type { CloudRecord } from "../../../inventory/inventory.ts";
import { changeTags } from "../change-tags.ts";
import { changeOperation, describeOperation, objectsIn, refuse, regionOf, tagSetOf, textsIn, toPair } from "./ec2-request.ts";

/** The taggable resource types, with the name that EC2 gives them and the prefix of their ids. */
const taggable: readonly (readonly [type: string, name: string, prefix: string])[] = [
  ["aws_instance", "instance", "i-"],
  ["aws_vpc", "vpc", "vpc-"],
  ["aws_subnet", "subnet", "subnet-"],
  ["aws_security_group", "security-group", "sg-"],
  ["aws_internet_gateway", "internet-gateway", "igw-"],
  ["aws_route_table", "route-table", "rtb-"],
  ["aws_eip", "elastic-ip", "eipalloc-"],
  ["aws_ebs_volume", "volume", "vol-"],
  ["aws_key_pair", "key-pair", "key-"],
  ["aws_nat_gateway", "natgateway", "nat-"],
  ["aws_network_interface", "network-interface", "eni-"],
];

/** Operations on tags. */
export const tagOperations: readonly ApiOperation[] = [
  changeOperation("CreateTags", { type: "aws_instance", operation: "update" }, async (call) => {
    const added = Object.fromEntries(objectsIn(call, "Tag").map(toPair));
    for (const record of await getTagged(call)) await changeTags(call, record, { added });
    return undefined;
  }),
  changeOperation("DeleteTags", { type: "aws_instance", operation: "update" }, async (call) => {
    const removed = listOf(objectOf(call.body)["Tag"]).map((tag) => textOf(objectOf(tag)["Key"]));
    for (const record of await getTagged(call)) {
      const all = tagSetOf(record).map(({ key }) => key);
      await changeTags(call, record, { removed: removed.length === 0 ? all : removed });
    }
    return undefined;
  }),
  describeOperation({
    name: "DescribeTags",
    type: "aws_instance",
    ids: "none",
    set: "tagSet",
    missing: (id) => ({ code: "InvalidID", message: id }),
    async list(call) {
      const found: CloudRecord[] = [];
      for (const [type, name] of taggable) {
        for (const record of await listHere(call, type)) {
          found.push(
            ...tagSetOf(record).map(({ key, value }) => ({
              type,
              id: `${record.id} ${key}`,
              attributes: { resourceId: record.id, resourceType: name, key, value },
            })),
          );
        }
      }
      return found;
    },
    render: ({ attributes: { resourceId, resourceType, key, value } }) => ({ resourceId, resourceType, key, value }),
    facts: ({ attributes }) => ({
      "resource-id": [textOf(attributes["resourceId"])],
      "resource-type": [textOf(attributes["resourceType"])],
      key: [textOf(attributes["key"])],
      value: [textOf(attributes["value"])],
    }),
  }),
];

async function listHere(call: ApiCall, type: string): Promise<readonly CloudRecord[]> {
  const region = regionOf(call);
  return (await listRecords(call, type)).filter(({ attributes }) => (textOf(attributes["region"]) || region) === region);
}

async function getTagged(call: ApiCall): Promise<readonly CloudRecord[]> {
  const found: CloudRecord[] = [];
  for (const id of textsIn(call, "ResourceId")) {
    const type = taggable.find(([, , prefix]) => id.startsWith(prefix))?.[0] ?? "";
    const record = type === "" ? undefined : (await listHere(call, type)).find((each) => each.id === id);
    found.push(record ?? refuse({ code: "InvalidID", message: `The ID '${id}' is not valid` }));
  }
  return found;
}
