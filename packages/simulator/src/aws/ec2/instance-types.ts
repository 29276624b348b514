/** The capacity of an instance type. */
export interface InstanceType {
  readonly name: string;
  readonly vcpus: number;
  readonly memoryMiB: number;
  readonly architecture: "x86_64" | "arm64";
}

/** Memory in GiB per vCPU, keyed by the letters of the instance family. */
const memoryPerVcpu: Readonly<Record<string, number>> = { c: 2, m: 4, r: 8, x: 16, i: 8, d: 8, g: 4, p: 8, inf: 2, trn: 4 };

const generations: Readonly<Record<string, readonly string[]>> = {
  c: ["5", "5a", "5d", "5n", "6a", "6g", "6gd", "6gn", "6i", "6id", "6in", "7a", "7g", "7gd", "7i", "8g", "8i"],
  m: [
    "4",
    "5",
    "5a",
    "5ad",
    "5d",
    "5n",
    "5zn",
    "6a",
    "6g",
    "6gd",
    "6i",
    "6id",
    "6idn",
    "6in",
    "7a",
    "7g",
    "7gd",
    "7i",
    "8g",
    "8i",
  ],
  r: ["4", "5", "5a", "5ad", "5b", "5d", "5n", "6a", "6g", "6gd", "6i", "6id", "6in", "7a", "7g", "7gd", "7i", "7iz", "8g", "8i"],
  x: ["1", "1e", "2gd", "2idn", "2iedn", "8g"],
  i: ["3", "3en", "4g", "4i", "7i", "8g"],
  d: ["2", "3", "3en"],
  g: ["4ad", "4dn", "5", "5g", "6", "6e"],
  p: ["3", "3dn", "4d", "5", "5e"],
  inf: ["1", "2"],
  trn: ["1"],
};

const burstable = {
  families: ["t2", "t3", "t3a", "t4g"],
  sizes: ["nano", "micro", "small", "medium", "large", "xlarge", "2xlarge"],
};
const burstableGiB: Readonly<Record<string, number>> = {
  nano: 0.5,
  micro: 1,
  small: 2,
  medium: 4,
  large: 8,
  xlarge: 16,
  "2xlarge": 32,
};
const sizes = ["medium", "large", "xlarge", "2xlarge", "3xlarge", "4xlarge", "6xlarge", "8xlarge", "9xlarge", "12xlarge"];
const largeSizes = ["16xlarge", "18xlarge", "24xlarge", "32xlarge", "48xlarge", "metal"];

const catalogue = new Map<string, InstanceType>(
  [...listBurstable(), ...listOthers()].map((instance) => [instance.name, instance] as const),
);

/** Returns an instance type, or undefined if AWS does not offer it. */
export function findInstanceType(name: string): InstanceType | undefined {
  return catalogue.get(name);
}

export function listInstanceTypes(): readonly InstanceType[] {
  return [...catalogue.values()];
}

function listBurstable(): InstanceType[] {
  return burstable.families.flatMap((family) =>
    burstable.sizes.map((size): InstanceType => {
      const vcpus = size === "xlarge" ? 4 : size === "2xlarge" ? 8 : 2;
      const memoryMiB = (burstableGiB[size] ?? 1) * 1024;
      return { name: `${family}.${size}`, vcpus, memoryMiB, architecture: family === "t4g" ? "arm64" : "x86_64" };
    }),
  );
}

function listOthers(): InstanceType[] {
  return Object.entries(generations).flatMap(([letters, numbers]) =>
    numbers.flatMap((number) =>
      [...sizes, ...largeSizes].flatMap((size): InstanceType[] => {
        // Only Graviton instance types come in a size with one vCPU.
        const isArm = /^\d+g/.test(number) && letters !== "g";
        if (size === "medium" && !isArm) return [];
        const vcpus = vcpusOf(size);
        const memoryMiB = vcpus * (memoryPerVcpu[letters] ?? 4) * 1024;
        return [{ name: `${letters}${number}.${size}`, vcpus, memoryMiB, architecture: isArm ? "arm64" : "x86_64" }];
      }),
    ),
  );
}

function vcpusOf(size: string): number {
  if (size === "medium") return 1;
  if (size === "large") return 2;
  if (size === "metal") return 96;
  return 4 * (Number.parseInt(size, 10) || 1);
}
