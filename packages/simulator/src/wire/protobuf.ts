import { Fault } from "@cloudwright/platform";
import { simulatorFaults } from "../faults.ts";

/** The encoding of one field: its number, how it is written, and how repeated occurrences are combined. */
interface Field<Read, Write> {
  readonly number: number;
  write(value: Write, out: Uint8Array[]): void;
  read(value: Wire, before: Read): Read;
  initial(): Read;
}

type Wire = number | Buffer;
// A field's types occur in both input and output positions, so only `any` accepts every field.
type Fields = Readonly<Record<string, Field<any, any>>>;
type ReadOf<Each extends Fields> = { [Name in keyof Each]: Each[Name] extends Field<infer Read, any> ? Read : never };
type WriteOf<Each extends Fields> = { [Name in keyof Each]?: Each[Name] extends Field<any, infer Write> ? Write : never };

/** A message described by its fields. Decoding skips unknown fields, so messages from newer peers can be read. */
export interface Message<Read, Write> {
  encode(value: Write): Buffer;
  decode(from: Uint8Array): Read;
}

/** The result type of decoding a message. */
export type Decoded<Table> = Table extends Message<infer Read, any> ? Read : never;

/** Creates a message from its fields. */
export function message<Each extends Fields>(fields: Each): Message<ReadOf<Each>, WriteOf<Each>> {
  const entries = Object.entries(fields) as [string, Field<unknown, unknown>][];
  const byNumber = new Map(entries.map(([name, field]) => [field.number, { name, field }]));
  return {
    encode(value) {
      const out: Uint8Array[] = [];
      for (const [name, field] of entries) {
        const given = (value as Record<string, unknown>)[name];
        if (given !== undefined) field.write(given, out);
      }
      return Buffer.concat(out);
    },
    decode(from) {
      const value: Record<string, unknown> = Object.fromEntries(entries.map(([name, field]) => [name, field.initial()]));
      for (const { number, content } of readFields(Buffer.from(from.buffer, from.byteOffset, from.byteLength))) {
        const known = byNumber.get(number);
        if (known !== undefined) value[known.name] = known.field.read(content, value[known.name]);
      }
      return value as ReadOf<Each>;
    },
  };
}

/** A number field. Zero is not encoded. */
export function varint(number: number): Field<number, number> {
  return {
    number,
    initial: () => 0,
    read: (value) => Number(value),
    write: (value, out) => void (value !== 0 && out.push(writeVarint(number * 8), writeVarint(value))),
  };
}

/** A number field that is encoded even if it is zero, for members of a oneof. */
export function presentVarint(number: number): Field<number | undefined, number> {
  return {
    number,
    initial: () => undefined,
    read: (value) => Number(value),
    write: (value, out) => void out.push(writeVarint(number * 8), writeVarint(value)),
  };
}

/** A boolean field. False is not encoded. */
export function bool(number: number): Field<boolean, boolean> {
  return {
    number,
    initial: () => false,
    read: (value) => value !== 0,
    write: (value, out) => void (value && out.push(writeVarint(number * 8), writeVarint(1))),
  };
}

/** A bytes field. Empty bytes are not encoded. */
export function bytes(number: number): Field<Buffer, Uint8Array> {
  return {
    number,
    initial: () => Buffer.alloc(0),
    read: (value) => value as Buffer,
    write: (value, out) => void (value.length > 0 && writeBytes(number, value, out)),
  };
}

/** A string field. An empty string is not encoded. */
export function text(number: number): Field<string, string> {
  return {
    number,
    initial: () => "",
    read: (value) => (value as Buffer).toString("utf8"),
    write: (value, out) => void (value !== "" && writeBytes(number, Buffer.from(value), out)),
  };
}

/** A string field that is encoded even if it is empty, for members of a oneof. */
export function presentText(number: number): Field<string | undefined, string> {
  return {
    number,
    initial: () => undefined,
    read: (value) => (value as Buffer).toString("utf8"),
    write: (value, out) => writeBytes(number, Buffer.from(value), out),
  };
}

/** A field that contains a message. */
export function nested<Read, Write>(number: number, table: Message<Read, Write>): Field<Read | undefined, Write> {
  return {
    number,
    initial: () => undefined,
    read: (value) => table.decode(value as Buffer),
    write: (value, out) => writeBytes(number, table.encode(value), out),
  };
}

/** A field that contains any number of messages. */
export function repeated<Read, Write>(number: number, table: Message<Read, Write>): Field<Read[], readonly Write[]> {
  return {
    number,
    initial: () => [],
    read: (value, before) => [...before, table.decode(value as Buffer)],
    write: (values, out) => {
      for (const value of values) writeBytes(number, table.encode(value), out);
    },
  };
}

function* readFields(from: Buffer): Generator<{ number: number; content: Wire }> {
  let at = 0;
  const readVarint = (): number => {
    let value = 0;
    for (let factor = 1; ; factor *= 128) {
      const byte = from[at++];
      if (byte === undefined || factor > 2 ** 63) throw bad("a number is not terminated");
      value += (byte & 127) * factor;
      if (byte < 128) return value;
    }
  };
  const take = (length: number): Buffer => {
    if (at + length > from.length) throw bad("a field is longer than its message");
    return from.subarray(at, (at += length));
  };
  while (at < from.length) {
    const key = readVarint();
    const number = Math.floor(key / 8);
    const wireType = key % 8;
    if (wireType === 0) yield { number, content: readVarint() };
    else if (wireType === 2) yield { number, content: take(readVarint()) };
    else if (wireType === 1) take(8);
    else if (wireType === 5) take(4);
    else throw bad(`unknown wire type ${wireType}`);
  }
}

function writeBytes(number: number, value: Uint8Array, out: Uint8Array[]): void {
  out.push(writeVarint(number * 8 + 2), writeVarint(value.length), value);
}

function writeVarint(value: number): Uint8Array {
  const out: number[] = [];
  let rest = value;
  for (; rest > 127; rest = Math.floor(rest / 128)) out.push((rest % 128) + 128);
  return Uint8Array.from([...out, rest]);
}

function bad(what: string): Fault {
  return new Fault(simulatorFaults.bad_message, `protobuf: ${what}`);
}
