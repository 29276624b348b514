import { isObject, listOf, objectOf, textOf } from "@cloudwright/platform";
import type { ApiCall, ApiOperation } from "../../../api/api-service.ts";
import type { CloudRecord } from "../../../inventory/inventory.ts";
import type { ApiRefusal } from "../../../provider/definition.ts";
import type { ValueMap } from "../../../values/value.ts";
import { accountOf, hash } from "../../place.ts";
import {
  changeOperation,
  findDescribed,
  flagIn,
  getHere,
  listHere,
  newTags,
  objectsIn,
  refuse,
  regionOf,
  requireText,
  textIn,
  textsIn,
  type Described,
} from "./ec2-request.ts";
import { groupsOf, launchedAt, listTerminated, renderInstance, renderState, stateOf } from "./instance-mapping.ts";
import { findKeyPair } from "./key-pairs.ts";
import { listGroups, requireGroups } from "./security-groups.ts";

const type = "aws_instance";

/** Operations on instances. */
export const instanceOperations: readonly ApiOperation[] = [
  changeOperation("RunInstances", { type, operation: "create" }, async (call) => {
    const instances = await runInstances(call);
    return renderReservation(call, instances, await readContext(call));
  }),
  {
    name: "DescribeInstances",
    match: { action: "DescribeInstances" },
    touches: { type, operation: "read" },
    async run(call) {
      const context = await readContext(call);
      const { items, next } = await findDescribed(call, described);
      const reservations = [...Map.groupBy(items, reservationOf).values()];
      return { content: { reservationSet: reservations.map((each) => renderReservation(call, each, context)), ...next } };
    },
  },
  {
    name: "DescribeInstanceStatus",
    match: { action: "DescribeInstanceStatus" },
    touches: { type, operation: "read" },
    async run(call) {
      const { items, next } = await findDescribed(call, described);
      const isAll = flagIn(call, "IncludeAllInstances") === true;
      const shown = items.filter((record) => isAll || stateNow(call, record) === "running");
      return { content: { instanceStatusSet: shown.map((record) => renderStatus(call, record)), ...next } };
    },
  },
  changeOperation("StopInstances", { type, operation: "update" }, (call) =>
    changeStates(call, { from: "running", to: "stopped", passing: "stopping", name: "StopInstances" }),
  ),
  changeOperation("StartInstances", { type, operation: "update" }, (call) =>
    changeStates(call, { from: "stopped", to: "running", passing: "pending", name: "StartInstances" }),
  ),
  changeOperation("RebootInstances", { type, operation: "update" }, async (call) => {
    for (const record of await getInstances(call)) requireState(call, record, ["running"]);
    return undefined;
  }),
  changeOperation("TerminateInstances", { type, operation: "delete" }, async (call) => {
    const changes: Record<string, unknown>[] = [];
    const records = await getInstances(call);
    const protectedOne = records.find(({ attributes }) => attributes["disable_api_termination"] === true);
    if (protectedOne !== undefined) {
      const message = `The instance '${protectedOne.id}' may not be terminated. Modify its 'disableApiTermination' instance attribute and try again.`;
      refuse({ code: "OperationNotPermitted", message });
    }
    for (const record of records) {
      const before = stateNow(call, record);
      const isEnding = before === "terminated" || before === "shutting-down";
      if (!isEnding) await call.operations.delete(record, { name: "TerminateInstances", facts: toFacts(record) });
      changes.push(renderChange(record.id, before, isEnding ? before : "shutting-down"));
    }
    return { instancesSet: changes };
  }),
  changeOperation("ModifyInstanceAttribute", { type, operation: "update" }, async (call) => {
    const record = await getHere(call, type, requireText(call, "InstanceId"), missing);
    const body = objectOf(call.body);
    const machine = textOf(objectOf(body["InstanceType"])["Value"]);
    if (machine !== "") requireState(call, record, ["stopped"]);
    const groups = textsIn(call, "GroupId");
    await requireGroups(call, groups);
    const [termination, check] = [flagIn(call, "DisableApiTermination"), flagIn(call, "SourceDestCheck")];
    const patch = {
      ...(machine && { instance_type: machine }),
      ...(groups.length > 0 && { vpc_security_group_ids: groups }),
      ...(termination !== undefined && { disable_api_termination: termination }),
      ...(check !== undefined && { source_dest_check: check }),
    };
    if (Object.keys(patch).length === 0) refuse({ code: "MissingParameter", message: "No attribute to modify was given." });
    await call.operations.update(record, patch, { isInstant: true });
    return undefined;
  }),
  {
    name: "DescribeInstanceAttribute",
    match: { action: "DescribeInstanceAttribute" },
    touches: { type, operation: "read" },
    async run(call) {
      const { id, attributes } = await getHere(call, type, requireText(call, "InstanceId"), missing);
      const name = requireText(call, "Attribute");
      const value = {
        instanceType: attributes["instance_type"],
        userData: attributes["user_data_base64"],
        disableApiTermination: attributes["disable_api_termination"] === true,
        sourceDestCheck: attributes["source_dest_check"] !== false,
        instanceInitiatedShutdownBehavior: textOf(attributes["instance_initiated_shutdown_behavior"]) || "stop",
      }[name];
      return { content: { instanceId: id, [name]: value === undefined || value === null ? {} : { value } } };
    },
  },
  {
    name: "GetConsoleOutput",
    match: { action: "GetConsoleOutput" },
    touches: { type, operation: "read" },
    async run(call) {
      const record = await getHere(call, type, requireText(call, "InstanceId"), missing);
      const output = Buffer.from(printConsole(record)).toString("base64");
      return { content: { instanceId: record.id, timestamp: launchedAt(record), output } };
    },
  },
];

function missing(id: string): ApiRefusal {
  const isId = /^i-([0-9a-f]{8}|[0-9a-f]{17})$/.test(id);
  return isId
    ? { code: "InvalidInstanceID.NotFound", message: `The instance ID '${id}' does not exist` }
    : { code: "InvalidInstanceID.Malformed", message: `Invalid id: "${id}"` };
}

const described: Described = {
  name: "DescribeInstances",
  type,
  ids: "InstanceId",
  set: "reservationSet",
  missing,
  list: listInstances,
  render: () => ({}),
  facts: (record, call) => {
    const { id, attributes } = record;
    const text = (name: string): readonly string[] => [textOf(attributes[name])];
    return {
      "instance-id": [id],
      "instance-type": text("instance_type"),
      "instance-state-name": [stateNow(call, record)],
      "subnet-id": text("subnet_id"),
      "availability-zone": text("availability_zone"),
      "image-id": text("ami"),
      "key-name": text("key_name"),
      "private-ip-address": text("private_ip"),
      "ip-address": text("public_ip"),
      "client-token": text("api_token"),
      "reservation-id": [reservationOf(record)],
      "instance.group-id": groupsOf(record, ""),
    };
  },
};

async function listInstances(call: ApiCall): Promise<readonly CloudRecord[]> {
  const region = regionOf(call);
  const gone = listTerminated(call).filter(({ attributes }) => (textOf(attributes["region"]) || region) === region);
  return [...(await listHere(call, type)), ...gone];
}

function stateNow(call: ApiCall, record: CloudRecord): string {
  const isGone = listTerminated(call).some(({ id }) => id === record.id);
  return isGone ? "terminated" : stateOf(call, record);
}

async function getInstances(call: ApiCall): Promise<readonly CloudRecord[]> {
  const ids = textsIn(call, "InstanceId");
  if (ids.length === 0) refuse({ code: "MissingParameter", message: "The request must contain the parameter InstanceId" });
  const all = await listInstances(call);
  return ids.map((id) => all.find((record) => record.id === id) ?? refuse(missing(id)));
}

function requireState(call: ApiCall, record: CloudRecord, allowed: readonly string[]): void {
  const state = stateNow(call, record);
  if (allowed.includes(state)) return;
  const message = `The instance '${record.id}' is not in a state from which it can be changed. Its state is '${state}'.`;
  refuse({ code: "IncorrectInstanceState", message });
}

interface StateChange {
  readonly from: string;
  readonly to: string;
  readonly passing: string;
  readonly name: string;
}

async function changeStates(call: ApiCall, { from, to, passing, name }: StateChange): Promise<Record<string, unknown>> {
  const records = await getInstances(call);
  // It is not an error if the instance is already in the desired state or is changing to it.
  for (const record of records) requireState(call, record, [from, to, passing]);
  const changes: Record<string, unknown>[] = [];
  for (const record of records) {
    const before = stateNow(call, record);
    if (before === from) await call.operations.update(record, { instance_state: to }, { name });
    changes.push(renderChange(record.id, before, before === from ? passing : before));
  }
  return { instancesSet: changes };
}

function renderChange(instanceId: string, before: string, after: string): Record<string, unknown> {
  return { instanceId, currentState: renderState(after), previousState: renderState(before) };
}

// Omits values that are not needed to describe the instance after its termination.
function toFacts({ attributes }: CloudRecord): Record<string, never> {
  const { user_data: _text, user_data_base64: _base64, ...kept } = attributes;
  return kept as Record<string, never>;
}

const mismatch: ApiRefusal = {
  code: "IdempotentParameterMismatch",
  message: "The parameters of the request do not match those of an earlier request with the same client token.",
};

async function runInstances(call: ApiCall): Promise<readonly CloudRecord[]> {
  const count = readCount(call);
  const config = await readConfig(call);
  const token = textIn(call, "ClientToken");
  const { ClientToken: _token, ...request } = objectOf(call.body);
  const made: CloudRecord[] = [];
  for (let index = 0; index < count; index++) {
    const note = {
      token: token === "" ? undefined : `${token}#${index}`,
      request,
      mismatch,
      beyond: {
        api_created_ms: Math.floor(call.nowMs),
        api_launch_index: index,
        api_token: token,
        api_reservation: `r-${hash(token === "" ? call.requestId : `${call.caller.tenant} ${token}`).slice(0, 17)}`,
      },
    };
    made.push(findEnded(call, note.token) ?? (await call.operations.create(type, config, note)).record);
  }
  return made;
}

// A client token still identifies its instance after the instance has been terminated.
function findEnded(call: ApiCall, token: string | undefined): CloudRecord | undefined {
  if (token === undefined) return undefined;
  const created = call.operations.list().find((operation) => operation.verb === "create" && operation.token === token);
  return created === undefined ? undefined : listTerminated(call).find(({ id }) => id === created.target.id);
}

function readCount(call: ApiCall): number {
  const [least, most] = [Number(textIn(call, "MinCount") || 1), Number(textIn(call, "MaxCount") || 1)];
  if (Number.isInteger(least) && Number.isInteger(most) && least >= 1 && least <= most && most <= 100) return most;
  return refuse({ code: "InvalidParameterValue", message: `Invalid instance count: at least ${least}, at most ${most}.` });
}

async function readConfig(call: ApiCall): Promise<ValueMap> {
  const body = objectOf(call.body);
  const [nic] = objectsIn(call, "NetworkInterface");
  const image = requireText(call, "ImageId");
  if (!/^ami-([0-9a-f]{8}|[0-9a-f]{17})$/.test(image)) {
    refuse({ code: "InvalidAMIID.Malformed", message: `Invalid id: "${image}" (expecting "ami-...")` });
  }
  const key = textIn(call, "KeyName");
  if (key !== "" && (await findKeyPair(call, key)) === undefined) {
    refuse({ code: "InvalidKeyPair.NotFound", message: `The key pair '${key}' does not exist` });
  }
  const subnet = textIn(call, "SubnetId") || textOf(nic?.["SubnetId"]);
  if (subnet === "") {
    refuse({ code: "MissingInput", message: "No default subnet exists. Specify a subnet." });
  }
  const profile = objectOf(body["IamInstanceProfile"]);
  const isPublic = textOf(nic?.["AssociatePublicIpAddress"]);
  const groups = [...textsIn(call, "SecurityGroupId"), ...listOf(nic?.["SecurityGroupId"]).map(textOf)];
  await requireGroups(call, groups);
  const user = textIn(call, "UserData");
  if (Buffer.from(user, "base64").length > 16_384) {
    refuse({ code: "InvalidParameterValue", message: "User data is limited to 16384 bytes" });
  }
  return {
    ami: image,
    instance_type: textIn(call, "InstanceType") || "m1.small",
    subnet_id: subnet,
    ...(groups.length > 0 && { vpc_security_group_ids: groups }),
    ...(key && { key_name: key }),
    ...(user && { user_data_base64: user }),
    ...(isPublic && { associate_public_ip_address: isPublic === "true" }),
    ...((textOf(profile["Name"]) || textOf(profile["Arn"])) && {
      iam_instance_profile: textOf(profile["Name"]) || (textOf(profile["Arn"]).split("/").at(-1) ?? ""),
    }),
    ...(flagIn(call, "DisableApiTermination") !== undefined && {
      disable_api_termination: flagIn(call, "DisableApiTermination") === true,
    }),
    ...readDisk(call),
    ...readMetadata(body["MetadataOptions"]),
    tags: newTags(call, "instance"),
    region: regionOf(call),
  };
}

function readDisk(call: ApiCall): ValueMap {
  const [first] = objectsIn(call, "BlockDeviceMapping");
  const ebs = objectOf(first?.["Ebs"]);
  if (first === undefined || Object.keys(ebs).length === 0) return {};
  const disk = {
    ...(textOf(ebs["VolumeSize"]) && { volume_size: Number(textOf(ebs["VolumeSize"])) }),
    ...(textOf(ebs["VolumeType"]) && { volume_type: textOf(ebs["VolumeType"]) }),
    ...(textOf(ebs["Encrypted"]) && { encrypted: textOf(ebs["Encrypted"]) === "true" }),
    ...(textOf(ebs["KmsKeyId"]) && { kms_key_id: textOf(ebs["KmsKeyId"]) }),
    ...(textOf(ebs["DeleteOnTermination"]) && { delete_on_termination: textOf(ebs["DeleteOnTermination"]) === "true" }),
    device_name: textOf(first["DeviceName"]),
  };
  return { root_block_device: [disk] };
}

function readMetadata(given: unknown): ValueMap {
  if (!isObject(given)) return {};
  const hops = textOf(given["HttpPutResponseHopLimit"]);
  const options = {
    http_endpoint: textOf(given["HttpEndpoint"]) || "enabled",
    ...(textOf(given["HttpTokens"]) && { http_tokens: textOf(given["HttpTokens"]) }),
    ...(hops && { http_put_response_hop_limit: Number(hops) }),
    ...(textOf(given["InstanceMetadataTags"]) && { instance_metadata_tags: textOf(given["InstanceMetadataTags"]) }),
  };
  return { metadata_options: [options] };
}

interface Context {
  readonly subnets: ReadonlyMap<string, CloudRecord>;
  readonly groupNames: ReadonlyMap<string, string>;
  readonly attachments: readonly CloudRecord[];
}

async function readContext(call: ApiCall): Promise<Context> {
  const subnets = await listHere(call, "aws_subnet");
  const groups = await listGroups(call);
  return {
    subnets: new Map(subnets.map((record) => [record.id, record])),
    groupNames: new Map(groups.map(({ id, attributes }) => [id, textOf(attributes["name"])])),
    attachments: await listHere(call, "aws_volume_attachment"),
  };
}

function reservationOf({ id, attributes }: CloudRecord): string {
  return textOf(attributes["api_reservation"]) || `r-${hash(`reservation ${id}`).slice(0, 17)}`;
}

function renderReservation(
  call: ApiCall,
  records: readonly CloudRecord[],
  { subnets, groupNames, attachments }: Context,
): Record<string, unknown> {
  const [first] = records;
  return {
    reservationId: first === undefined ? "" : reservationOf(first),
    ownerId: accountOf(call.caller.tenant),
    groupSet: [],
    instancesSet: records.map((record) =>
      renderInstance(record, call, {
        subnet: subnets.get(textOf(record.attributes["subnet_id"])),
        groupNames,
        attachments,
        state: stateNow(call, record),
      }),
    ),
  };
}

function renderStatus(call: ApiCall, record: CloudRecord): Record<string, unknown> {
  const state = stateNow(call, record);
  const status = state === "running" ? "ok" : "not-applicable";
  const details = { status, details: [{ name: "reachability", status: "passed" }] };
  return {
    instanceId: record.id,
    availabilityZone: textOf(record.attributes["availability_zone"]),
    instanceState: renderState(state),
    systemStatus: details,
    instanceStatus: details,
  };
}

/** Renders the console output of a booting instance. The host key is derived from the id, so that it never changes. */
function printConsole({ id, attributes }: CloudRecord): string {
  const length = (bytes: Buffer): Buffer => Buffer.concat([Buffer.from([0, 0, 0, bytes.length]), bytes]);
  const key = Buffer.concat([length(Buffer.from("ssh-ed25519")), length(Buffer.from(hash(`host key ${id}`), "hex"))]);
  return [
    `[    0.000000] Linux version 6.8.0 (${textOf(attributes["ami"])})`,
    "-----BEGIN SSH HOST KEY KEYS-----",
    `ssh-ed25519 ${key.toString("base64")} root@${textOf(attributes["private_dns"])}`,
    "-----END SSH HOST KEY KEYS-----",
    "Cloud-init finished.",
    "",
  ].join("\n");
}
