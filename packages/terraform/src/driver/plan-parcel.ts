import { Fault, isObject, parseJson, textOf } from "@cloudwright/platform";
import { createHash } from "node:crypto";
import { promisify } from "node:util";
import { zstdCompress, zstdDecompress } from "node:zlib";
import { terraformFaults } from "../faults.ts";

/** The inputs of a plan. A plan can be applied only in a directory with the same inputs. */
export interface PlanCircumstances {
  readonly program: string;
  readonly configuration: string;
  readonly lockFile: string;
  readonly state: string;
  /** Empty if the directory has no variables. The plan itself contains the values. */
  readonly variables: string;
}

const magic = Buffer.from("CWPLAN");
const version = 1;
const headBytes = magic.length + 1 + 32;
const longestFacts = 4096;

/** Packs a plan for storage: magic number, format version, hash, then the compressed inputs and plan. */
export async function packParcel(circumstances: PlanCircumstances, plan: Buffer): Promise<Buffer> {
  const facts = Buffer.alloc(longestFacts, " ");
  if (facts.write(JSON.stringify(circumstances)) === longestFacts) throw damaged("has too much metadata");
  const packed = await promisify(zstdCompress)(Buffer.concat([facts, plan]));
  const hash = createHash("sha256").update(packed).digest();
  return Buffer.concat([magic, Buffer.of(version), hash, packed]);
}

/** Unpacks a stored plan. Rejects damaged data and data that decompresses to more than `longest` bytes. */
export async function unpackParcel(
  parcel: Uint8Array,
  longest: number,
): Promise<{ readonly circumstances: PlanCircumstances; readonly plan: Buffer }> {
  const bytes = Buffer.from(parcel.buffer, parcel.byteOffset, parcel.byteLength);
  if (bytes.length <= headBytes || !bytes.subarray(0, magic.length).equals(magic)) throw damaged("has an unknown format");
  if (bytes[magic.length] !== version) throw damaged(`has the unsupported version ${bytes[magic.length]}`);
  const packed = bytes.subarray(headBytes);
  if (
    !createHash("sha256")
      .update(packed)
      .digest()
      .equals(bytes.subarray(magic.length + 1, headBytes))
  )
    throw damaged("was changed");
  const whole = await unfold(packed, longest + longestFacts);
  const facts = parseJson(whole.toString("utf8", 0, longestFacts).trimEnd());
  if (!isObject(facts) || whole.length < longestFacts) throw damaged("lacks its metadata");
  const read = (name: keyof PlanCircumstances): string => textOf(facts[name]);
  return {
    circumstances: {
      program: read("program"),
      configuration: read("configuration"),
      lockFile: read("lockFile"),
      state: read("state"),
      variables: read("variables"),
    },
    plan: whole.subarray(longestFacts),
  };
}

async function unfold(packed: Buffer, longest: number): Promise<Buffer> {
  try {
    return await promisify(zstdDecompress)(packed, { maxOutputLength: longest });
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code !== "ERR_BUFFER_TOO_LARGE") throw damaged("cannot be decompressed");
    throw new Fault(terraformFaults.plan_too_large, `a stored plan decompresses to more than ${longest} bytes`, { cause });
  }
}

function damaged(what: string): Fault {
  return new Fault(terraformFaults.plan_changed, `a stored plan ${what}`);
}
