import { Fault } from "@cloudwright/platform";
import { simulatorFaults } from "../faults.ts";
import { parseType, printType } from "./type-text.ts";
import {
  createBlock,
  nestedType,
  type Attribute,
  type Block,
  type NestedBlock,
  type Nesting,
  type TypeSchema,
  type ProviderSchema,
} from "./schema.ts";

/**
 * The file format of schemas. An attribute is a string with its flags and its type, such as `"oc list(string)"`. The flags are r
 * (required), o (optional), c (computed), s (sensitive), w (write-only) and d (deprecated). A nested block states its nesting (`"is":
 * "block list"`), its parts, and optionally its minimum and maximum count. An attribute with nested attributes starts with `"is": "o set"`.
 */
export interface CompactSchema {
  readonly provider?: CompactType;
  readonly resources?: Readonly<Record<string, CompactType>>;
  readonly dataSources?: Readonly<Record<string, CompactType>>;
}

/** A type in the file: its parts, and the version of its state if that is not zero. */
export interface CompactType {
  readonly version?: number;
  readonly deprecated?: boolean;
  readonly of: CompactBlock;
}

/** The attributes and blocks of one level, keyed by name. */
export interface CompactBlock {
  readonly [name: string]: string | CompactNested;
}

interface CompactNested {
  readonly is: string;
  readonly min?: number;
  readonly max?: number;
  readonly deprecated?: boolean;
  readonly of: CompactBlock;
}

const flagOf = { required: "r", optional: "o", computed: "c", sensitive: "s", writeOnly: "w", deprecated: "d" } as const;
const flagNames = Object.keys(flagOf) as (keyof typeof flagOf)[];
const nestings = new Set(["single", "list", "set", "map", "group"]);

/** Parses the content of a schema file. Throws if it is invalid. */
export function parseSchema(file: CompactSchema): ProviderSchema {
  return {
    provider: parseTypeSchema(file.provider ?? { of: {} }, "provider"),
    resources: mapValues(file.resources ?? {}, parseTypeSchema),
    dataSources: mapValues(file.dataSources ?? {}, parseTypeSchema),
  };
}

/** Renders a schema in the format that `parseSchema` reads. */
export function printSchema(schema: ProviderSchema): CompactSchema {
  return {
    provider: printTypeSchema(schema.provider),
    resources: mapValues(schema.resources, printTypeSchema),
    dataSources: mapValues(schema.dataSources, printTypeSchema),
  };
}

function parseTypeSchema({ version = 0, deprecated = false, of }: CompactType, path: string): TypeSchema {
  return { version, block: parseBlock(of, deprecated, path) };
}

function parseBlock(of: CompactBlock, deprecated: boolean, path: string): Block {
  const attributes: Record<string, Attribute> = {};
  const blocks: Record<string, NestedBlock> = {};
  for (const [name, part] of Object.entries(of)) {
    const where = `${path}.${name}`;
    const [flags = "", rest = ""] = (typeof part === "string" ? part : part.is).split(/ (?<rest>.*)/s);
    if (typeof part === "string") attributes[name] = { ...parseFlags(flags, where), type: parseType(rest, where) };
    else if (!nestings.has(rest)) throw bad(where, `"${rest}" is not a nesting mode`);
    else {
      const nesting = rest as Nesting;
      const block = parseBlock(part.of, part.deprecated ?? false, where);
      if (flags === "block") blocks[name] = { nesting, block, min: part.min ?? 0, max: part.max ?? 0 };
      else if (nesting === "group") throw bad(where, "only a block can have the nesting mode group");
      else attributes[name] = { ...parseFlags(flags, where), type: nestedType(nesting, block), nested: { nesting, block } };
    }
  }
  return createBlock({ attributes, blocks, deprecated });
}

function parseFlags(flags: string, path: string): Omit<Attribute, "type" | "nested"> {
  if (!/^(r|oc?|c)s?w?d?$/.test(flags)) throw bad(path, `"${flags}" are not valid attribute flags`);
  const parsed = Object.fromEntries(flagNames.map((name) => [name, flags.includes(flagOf[name])]));
  return parsed as Record<keyof typeof flagOf, boolean>;
}

function printTypeSchema({ version, block }: TypeSchema): CompactType {
  return { ...(version === 0 ? {} : { version }), ...(block.deprecated ? { deprecated: true } : {}), of: printBlock(block) };
}

function printBlock(block: Block): CompactBlock {
  const attributes = Object.entries(block.attributes).map(([name, attribute]): [string, string | CompactNested] => {
    const flags = flagNames.map((flag) => (attribute[flag] ? flagOf[flag] : "")).join("");
    const { nested } = attribute;
    if (nested === undefined) return [name, `${flags} ${printType(attribute.type)}`];
    return [name, { is: `${flags} ${nested.nesting}`, of: printBlock(nested.block) }];
  });
  const blocks = Object.entries(block.blocks).map(([name, nested]): [string, CompactNested] => [
    name,
    {
      is: `block ${nested.nesting}`,
      ...(nested.min === 0 ? {} : { min: nested.min }),
      ...(nested.max === 0 ? {} : { max: nested.max }),
      ...(nested.block.deprecated ? { deprecated: true } : {}),
      of: printBlock(nested.block),
    },
  ]);
  return Object.fromEntries([...attributes, ...blocks]);
}

function mapValues<From, To>(
  from: Readonly<Record<string, From>>,
  change: (value: From, name: string) => To,
): Record<string, To> {
  return Object.fromEntries(Object.entries(from).map(([name, value]) => [name, change(value, name)]));
}

function bad(path: string, what: string): Fault {
  return new Fault(simulatorFaults.bad_schema, `${path}: ${what}`);
}
