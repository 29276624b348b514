import { execFileSync } from "node:child_process";
import { delimiter, join } from "node:path";
import { processEnvironment } from "@cloudwright/platform";
import type { RepositoryCopy } from "./repository-copy.ts";

const contract = "packages/contract";

/** A kind to add, with the spellings of its name that the files need. */
interface NewKind {
  readonly kind: string;
  readonly file: string;
  readonly constant: string;
  readonly collection: string;
  /** Spec fields, as lines of the proto file. */
  readonly fields: string;
  readonly references: string;
}

const name = "(buf.validate.field).string = {min_len: 1, max_len: 63}";
const network = `string network = 1 [(reference) = "Network", (immutable) = true, ${name}];`;
const owner = `{ kind: "Network", field: "network", many: false, owning: true }`;

const added: readonly NewKind[] = [
  {
    kind: "Firewall",
    file: "firewall",
    constant: "firewall",
    collection: "firewalls",
    fields: network,
    references: owner,
  },
  {
    kind: "Machine",
    file: "machine",
    constant: "machine",
    collection: "machines",
    fields: `${network}\n  repeated string firewalls = 2 [(reference) = "Firewall"];`,
    references: `${owner}, { kind: "Firewall", field: "firewalls", many: true, owning: false }`,
  },
];

/** Adds firewalls and machines to a copy of the repository, following the instructions in the README. */
export async function addKinds(copy: RepositoryCopy): Promise<void> {
  for (const one of added) await addKind(copy, one);
  const bin = join(copy.root, "node_modules/.bin");
  const folder = join(copy.root, contract);
  execFileSync(join(bin, "buf"), ["generate"], {
    cwd: folder,
    stdio: "pipe",
    env: { ...processEnvironment, PATH: `${bin}${delimiter}${processEnvironment["PATH"] ?? ""}` },
  });
}

async function addKind(copy: RepositoryCopy, kind: NewKind): Promise<void> {
  const { kind: named, file, constant } = kind;
  const generated = file.replaceAll("-", "_");
  const service = named.toLowerCase();
  await copy.write(`${contract}/proto/cloudwright/v1/${generated}.proto`, await renderProto(copy, kind));
  await copy.write(`${contract}/src/kinds/${file}.ts`, renderDeclaration(kind));
  await addLine(
    copy,
    `${contract}/src/kinds/all.ts`,
    `import { ${constant} } from "./${file}.ts";`,
    "  storage,\n",
    `  ${constant},\n`,
  );
  const services = `import { ${named}Service } from "../gen/cloudwright/v1/${generated}_pb.ts";`;
  await addLine(copy, `${contract}/src/services.ts`, services, "  StorageService,\n", `  ${named}Service,\n`);
  await copy.edit(
    `${contract}/src/tasks/task-services.ts`,
    "  storage: stackActions,\n",
    `  storage: stackActions,\n  ${service}: stackActions,\n`,
  );
  await copy.write(`packages/reconciler/src/${file}/lifecycle.ts`, renderLifecycle(kind, service));
  const lifecycle = `import { ${constant}Lifecycle } from "./${file}/lifecycle.ts";`;
  const line = `  ${named}: ${constant}Lifecycle,\n`;
  await addLine(copy, "packages/reconciler/src/lifecycles.ts", lifecycle, "  Storage: storageLifecycle,\n", line);
}

async function addLine(copy: RepositoryCopy, file: string, importLine: string, after: string, line: string): Promise<void> {
  await copy.edit(file, after, `${after}${line}`);
  await copy.write(file, `${importLine}\n${await copy.read(file)}`);
}

/** Renders the proto file of a kind. It is the proto file of Storage with a different spec. */
async function renderProto(copy: RepositoryCopy, { kind, collection, fields }: NewKind): Promise<string> {
  const text = await copy.read(`${contract}/proto/cloudwright/v1/storage.proto`);
  const [before = ""] = text.split(/\/\/ StorageSpec /);
  const after = text.slice(text.search(/\/\/ StorageStatus /));
  const spec = `// StorageSpec is the desired state.\nmessage StorageSpec {\n  ${fields}\n  Infra infra = 30;\n}\n\n`;
  return `${before}${spec}${after}`
    .replaceAll("storages", collection)
    .replaceAll("Storages", `${kind}s`)
    .replaceAll("Storage", kind);
}

function renderDeclaration({ kind, constant, collection, references }: NewKind): string {
  return `import type { KindDeclaration } from "./kind.ts";

export const ${constant} = {
  kind: "${kind}",
  collection: "${collection}",
  words: ["${kind.toLowerCase()}"],
  scope: "project",
  provisioned: true,
  references: [${references}],
  allows: ["replace", "delete"],
} as const satisfies KindDeclaration;
`;
}

function renderLifecycle({ constant }: NewKind, service: string): string {
  return `import { renderFingerprint } from "../engine/fingerprint.ts";
import type { Lifecycle } from "../engine/step.ts";
import { createDestroyStep } from "../steps/destroy.ts";
import { referencesReady } from "../steps/references-ready.ts";
import { referrersGone } from "../steps/referrers-gone.ts";
import { createTaskStep } from "../steps/run-task.ts";

export const ${constant}Lifecycle: Lifecycle = {
  service: "${service}",
  creation: [
    referencesReady,
    createTaskStep({ name: "build", condition: "InfrastructureReady", weight: 1, type: "${service}.apply", lane: "long" }),
  ],
  deletion: [referrersGone, createDestroyStep("${service}")],
  fingerprint: renderFingerprint,
  checked: false,
  readStatus: () => ({}),
};
`;
}
