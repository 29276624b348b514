/** Types of GPU that can be attached to N1 machines, with the allowed counts per machine. */
const attachable: Readonly<Record<string, readonly number[]>> = {
  "nvidia-tesla-t4": [1, 2, 4],
  "nvidia-tesla-p4": [1, 2, 4],
  "nvidia-tesla-p100": [1, 2, 4],
  "nvidia-tesla-v100": [1, 2, 4, 8],
};

/** GPUs of machine types that always come with GPUs: the type of GPU for each shape. */
const builtIn: Readonly<Record<string, string>> = {
  "a2-highgpu": "nvidia-tesla-a100",
  "a2-megagpu": "nvidia-tesla-a100",
  "a2-ultragpu": "nvidia-a100-80gb",
  "a3-highgpu": "nvidia-h100-80gb",
  "a3-edgegpu": "nvidia-h100-80gb",
  "a3-megagpu": "nvidia-h100-mega-80gb",
  "a3-ultragpu": "nvidia-h200-141gb",
  "a4-highgpu": "nvidia-b200",
  "g2-standard": "nvidia-l4",
};

/** Number of GPUs of the larger `g2-standard` sizes. All other sizes have one. */
const g2Counts: Readonly<Record<string, number>> = { "24": 2, "48": 4, "96": 8 };

/** Families with machines whose GPUs this release does not know. The cloud checks them. */
const gpuFamilies: ReadonlySet<string> = new Set(["a2", "a3", "a4", "a4x", "g2", "g4"]);

/** A problem with the GPUs of a machine type: the setting and the text that follows it in messages. */
export interface GpuProblem {
  readonly field: "accelerator" | "acceleratorCount";
  readonly message: string;
}

/**
 * Returns why machines of this type cannot have these GPUs, or undefined if they can or this release cannot tell. TPUs are not checked.
 */
export function findGpuProblem(
  machineType: string,
  { type, count }: { readonly type: string; readonly count: number },
): GpuProblem | undefined {
  const [family = "", shape = "", size = ""] = machineType.split("-");
  if (!type.startsWith("nvidia-")) return undefined;
  const own = builtIn[`${family}-${shape}`];
  if (own !== undefined) return checkBuiltIn(machineType, { own, size }, { type, count });
  if (gpuFamilies.has(family)) return undefined;
  // GPUs can be attached only to N1 machines. `custom-4-8192` is an N1 machine too.
  if (family !== "n1" && family !== "custom") {
    const advice = "use an N1 machine type, or one with built-in GPUs such as g2-standard-4";
    return { field: "accelerator", message: `is ${type}, but ${machineType} machines cannot have GPUs; ${advice}` };
  }
  const counts = Object.hasOwn(attachable, type) ? attachable[type] : undefined;
  if (counts === undefined) {
    const message = `is ${type}, which ${machineType} machines cannot have; use one of ${Object.keys(attachable).join(", ")}`;
    return { field: "accelerator", message };
  }
  if (counts.includes(count)) return undefined;
  const message = `is ${count}, but a ${machineType} machine can have ${counts.join(", ")} GPUs of the type ${type}`;
  return { field: "acceleratorCount", message };
}

function checkBuiltIn(
  machineType: string,
  { own, size }: { readonly own: string; readonly size: string },
  { type, count }: { readonly type: string; readonly count: number },
): GpuProblem | undefined {
  if (type !== own) return { field: "accelerator", message: `is ${type}, but ${machineType} machines have ${own}` };
  const has = size.endsWith("g") ? Number(size.slice(0, -1)) : (g2Counts[size] ?? 1);
  if (count === has) return undefined;
  return { field: "acceleratorCount", message: `is ${count}, but each ${machineType} machine has ${has}` };
}
