/** The predefined machine types of Compute Engine: one line per family and shape with its sizes. */
const table = `
  e2 standard 2 4 8 16 32
  e2 highmem 2 4 8 16
  e2 highcpu 2 4 8 16 32
  n1 standard 1 2 4 8 16 32 64 96
  n1 highmem 2 4 8 16 32 64 96
  n1 highcpu 2 4 8 16 32 64 96
  n1 megamem 96
  n1 ultramem 40 80 160
  n2 standard 2 4 8 16 32 48 64 80 96 128
  n2 highmem 2 4 8 16 32 48 64 80 96 128
  n2 highcpu 2 4 8 16 32 48 64 80 96
  n2d standard 2 4 8 16 32 48 64 80 96 128 224
  n2d highmem 2 4 8 16 32 48 64 80 96
  n2d highcpu 2 4 8 16 32 48 64 80 96 128 224
  n4 standard|highmem|highcpu 2 4 8 16 32 48 64 80
  n4a standard|highmem|highcpu 1 2 4 8 16 32 48 64
  n4d standard|highmem|highcpu 2 4 8 16 32 48 64 80 96
  t2a standard 1 2 4 8 16 32 48
  t2d standard 1 2 4 8 16 32 48 60
  c2 standard 4 8 16 30 60
  c2d standard|highmem|highcpu 2 4 8 16 32 56 112
  c3 standard|highmem|highcpu 4 8 22 44 88 176 192-metal
  c3d standard|highmem|highcpu 4 8 16 30 60 90 180 360
  c4 standard|highmem|highcpu 2 4 8 16 24 32 48 96 144 192 288 288-metal
  c4a standard|highmem|highcpu 1 2 4 8 16 32 48 64 72 96-metal
  c4d standard|highmem|highcpu 2 4 8 16 32 48 64 96 192 384 384-metal
  h3 standard 88
  h4d standard|highmem 192
  z3 highmem 8 14 16 22 30 36 44 88 176 192 192-metal
  m1 megamem 96
  m1 ultramem 40 80 160
  m2 megamem|hypermem 416
  m2 ultramem 208 416
  m3 megamem 64 128
  m3 ultramem 32 64 128
  m4 megamem 28 56 112 224
  m4 hypermem 16 32 64
  m4 ultramem 56 112 224
  x4 megamem 480-metal 960-metal 1440-metal 1920-metal
  a2 highgpu|ultragpu 1g 2g 4g 8g
  a2 megagpu 16g
  a3 highgpu 1g 2g 4g 8g
  a3 megagpu|edgegpu|ultragpu 8g
  a4 highgpu 8g
  a4x highgpu 4g
  a4x maxgpu 4g-metal
  g2 standard 4 8 12 16 24 32 48 96
  g4 standard 6 12 24 48 96 192 384
`;

/** Sizes, keyed by family and shape, such as `n2-standard`. */
const sizes: ReadonlyMap<string, readonly string[]> = new Map(
  table
    .trim()
    .split("\n")
    .flatMap((line) => {
      const [family = "", shapes = "", ...found] = line.trim().split(" ");
      return shapes.split("|").map((shape) => [`${family}-${shape}`, found] as const);
    }),
);

/** Suffixes that determine whether a machine has local disks. They do not change the machine's size. */
const disks = /-((standard|high)?lssd|nolssd)(?=-metal$|$)/;
const withDisks: ReadonlySet<string> = new Set(["a3", "c3", "c3d", "c4", "c4a", "c4d", "h4d", "z3"]);

/** Families with custom shapes, and the maximum number of vCPUs in each family. */
const customFamilies: Readonly<Record<string, number>> = {
  e2: 32,
  n1: 96,
  n2: 128,
  n2d: 96,
  n4: 80,
  n4a: 64,
  n4d: 96,
  g2: 96,
};

/**
 * Returns whether this release knows the exact machine type. Compute Engine may offer newer types, so only the simulator and suggestions
 * rely on this list.
 */
export function isListedMachineType(type: string): boolean {
  if (/^(e2-(micro|small|medium)|f1-micro|g1-small)$/.test(type)) return true;
  if (/(^|-)custom-/.test(type)) return isCustomMachineType(type);
  const { group, size } = parseType(type);
  return sizes.get(group)?.includes(size) === true;
}

/**
 * Returns whether Compute Engine accepts the vCPUs and memory of a custom machine type. Compute Engine does not list custom types, so the
 * check relies on the name alone.
 */
export function isCustomMachineType(type: string): boolean {
  if (/^e2-custom-(micro|small|medium)-\d{3,5}$/.test(type)) return true;
  const [, family = "n1", cores = "", memoryMiB = ""] = /^(?:([a-z]\d+[a-z]?)-)?custom-(\d+)-(\d+)(?:-ext)?$/.exec(type) ?? [];
  const [vcpus, most] = [Number(cores), Object.hasOwn(customFamilies, family) ? (customFamilies[family] ?? 0) : 0];
  return vcpus > 0 && vcpus <= most && (vcpus === 1 || vcpus % 2 === 0) && Number(memoryMiB) > 0 && Number(memoryMiB) % 256 === 0;
}

/** Lists the machine types of the same family and shape, nearest in size first. */
export function listSimilarMachineTypes(type: string): readonly string[] {
  const { group, size } = parseType(type);
  const near = (other: string): number => Math.abs(Number.parseInt(other, 10) - (Number.parseInt(size, 10) || 0));
  return (sizes.get(group) ?? []).toSorted((a, b) => near(a) - near(b)).map((other) => `${group}-${other}`);
}

function parseType(type: string): { readonly group: string; readonly size: string } {
  const [family = "", shape = "", ...rest] = type.split("-");
  const size = rest.join("-");
  return { group: `${family}-${shape}`, size: withDisks.has(family) ? `-${size}`.replace(disks, "").slice(1) : size };
}
