import { ScalarType, type DescField, type DescMessage } from "@bufbuild/protobuf";
import { BinaryReader, WireType } from "@bufbuild/protobuf/wire";

/** Messages that are nested more deeply are not counted. The parser rejects them. */
const deepest = 100;

/**
 * Counts the fields and list items of an encoded message without creating objects. Stops once there are more than `most`. If the bytes are
 * malformed, nothing after the first error is counted, because the parser stops there too.
 */
export function countFields(schema: DescMessage, bytes: Uint8Array, most: number): number {
  const reader = new BinaryReader(bytes);
  let count = 1;
  const walk = (inside: Inside, end: number, depth: number): void => {
    while (reader.pos < end && count <= most) {
      const [number, wireType] = reader.tag();
      count += 1;
      if (wireType !== WireType.LengthDelimited) {
        reader.skip(wireType, number);
        continue;
      }
      const length = reader.uint32();
      const next = reader.pos + length;
      const found = findContents(inside, number);
      if (found === "packed") count += length;
      else if (found !== undefined && depth < deepest) walk(found, Math.min(next, end), depth + 1);
      reader.pos = next;
    }
  };
  try {
    walk({ message: schema }, bytes.length, 0);
  } catch {
    // The parser reports malformed bytes.
  }
  return count;
}

/** The type of the encoded bytes: a message, or an entry of a map whose values are messages. */
interface Inside {
  readonly message: DescMessage;
  readonly isEntry?: boolean;
}

/**
 * Returns what a length-delimited field contains: a message, a map entry, or packed numbers of at least one byte each. Returns
 * undefined if the field contains a single value.
 */
function findContents({ message, isEntry }: Inside, number: number): Inside | "packed" | undefined {
  if (isEntry === true) return number === 2 ? { message } : undefined;
  const field = message.fields.find((each) => each.number === number);
  if (field?.message !== undefined) return { message: field.message, isEntry: field.fieldKind === "map" };
  return field?.fieldKind === "list" && isNumeric(field) ? "packed" : undefined;
}

function isNumeric({ scalar }: DescField): boolean {
  return scalar !== ScalarType.STRING && scalar !== ScalarType.BYTES;
}
