import { createHash, generateKeyPairSync } from "node:crypto";
import { textOf } from "@cloudwright/platform";
import type { ApiCall, ApiOperation } from "../../../api/api-service.ts";
import type { CloudRecord } from "../../../inventory/inventory.ts";
import type { ApiRefusal } from "../../../provider/definition.ts";
import { makeId } from "../../resource.ts";
import {
  changeOperation,
  findDescribed,
  listHere,
  newTags,
  refuse,
  regionOf,
  requireText,
  tagSetOf,
  textIn,
  textsIn,
} from "./ec2-request.ts";

// The simulated provider has no key pairs, so their records have no schema.
const type = "aws_key_pair";

/** Operations on key pairs. */
export const keyPairOperations: readonly ApiOperation[] = [
  changeOperation("ImportKeyPair", { type, operation: "create" }, async (call) => {
    const material = Buffer.from(requireText(call, "PublicKeyMaterial"), "base64").toString("utf8");
    if (!/^(ssh-ed25519|ssh-rsa) [A-Za-z0-9+/=]{40,}/.test(material)) {
      refuse({ code: "InvalidKey.Format", message: "Key is not in valid OpenSSH public key format" });
    }
    return renderPair(await createPair(call, material.trim()));
  }),
  changeOperation("CreateKeyPair", { type, operation: "create" }, async (call) => {
    const { publicKey, privateKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
    const record = await createPair(call, publicKey.export({ type: "pkcs1", format: "der" }).toString("base64"));
    return { ...renderPair(record), keyMaterial: privateKey.export({ type: "pkcs1", format: "pem" }).toString() };
  }),
  {
    name: "DescribeKeyPairs",
    match: { action: "DescribeKeyPairs" },
    touches: { type, operation: "read" },
    async run(call) {
      const names = textsIn(call, "KeyName");
      const { items } = await findDescribed(call, {
        name: "DescribeKeyPairs",
        type,
        ids: "KeyPairId",
        set: "keySet",
        missing: (id) => ({ code: "InvalidKeyPair.NotFound", message: `The key pair '${id}' does not exist` }),
        render: renderPair,
        facts: ({ id, attributes }) => ({ "key-pair-id": [id], "key-name": [textOf(attributes["key_name"])] }),
      });
      const unknown = names.find((name) => items.every(({ attributes }) => attributes["key_name"] !== name));
      if (unknown !== undefined) refuse(missing(unknown));
      const found = items.filter(({ attributes }) => names.length === 0 || names.includes(textOf(attributes["key_name"])));
      return {
        content: { keySet: found.map((record) => ({ ...renderPair(record), keyType: textOf(record.attributes["key_type"]) })) },
      };
    },
  },
  changeOperation("DeleteKeyPair", { type, operation: "delete" }, async (call) => {
    const name = textIn(call, "KeyName");
    const id = textIn(call, "KeyPairId");
    const found = (await listHere(call, type)).find((record) => record.id === id || record.attributes["key_name"] === name);
    // EC2 reports success for a key pair that does not exist.
    if (found !== undefined) await call.scope.inventory.delete(call.scope.tenant, found);
    return { return: true, ...(found && { keyPairId: found.id }) };
  }),
];

function missing(name: string): ApiRefusal {
  return { code: "InvalidKeyPair.NotFound", message: `The key pair '${name}' does not exist` };
}

/** Finds a key pair by its name. */
export async function findKeyPair(call: ApiCall, name: string): Promise<CloudRecord | undefined> {
  return (await listHere(call, type)).find(({ attributes }) => attributes["key_name"] === name);
}

async function createPair(call: ApiCall, publicKey: string): Promise<CloudRecord> {
  const name = requireText(call, "KeyName");
  if ((await findKeyPair(call, name)) !== undefined) {
    refuse({ code: "InvalidKeyPair.Duplicate", message: `The keypair '${name}' already exists.` });
  }
  const id = makeId("key", call.nowMs);
  const tags = newTags(call, "key-pair");
  const bytes = Buffer.from(publicKey.split(" ")[1] ?? publicKey, "base64");
  const attributes = {
    key_name: name,
    key_pair_id: id,
    public_key: publicKey,
    fingerprint: createHash("sha256").update(bytes).digest("base64"),
    key_type: publicKey.startsWith("ssh-ed25519") ? "ed25519" : "rsa",
    region: regionOf(call),
    tags,
    tags_all: tags,
    api_created_ms: Math.floor(call.nowMs),
  };
  const record = { type, id, attributes };
  await call.scope.inventory.create(call.scope.tenant, record);
  return record;
}

function renderPair(record: CloudRecord): Record<string, unknown> {
  const { id, attributes } = record;
  return {
    keyPairId: id,
    keyName: textOf(attributes["key_name"]),
    keyFingerprint: textOf(attributes["fingerprint"]),
    tagSet: tagSetOf(record),
  };
}
