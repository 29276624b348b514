/** Machine type of workers whose spec does not set one. */
export const defaultMachineType = "e2-standard-2";

/** Machine families of Compute Engine that come in the shapes below. */
const families = `
  e2 n1 n2 n2d n4 n4a n4d t2a t2d
  c2 c2d c3 c3d c4 c4a c4d h3 h4d z3
  m1 m2 m3 m4 x4
  a2 a3 a4 a4x g2 g4
`;

const known: ReadonlySet<string> = new Set(families.trim().split(/\s+/));

const shape =
  /^(standard|highmem|highcpu|megamem|ultramem|hypermem|highgpu|megagpu|ultragpu|edgegpu|maxgpu)-\d{1,4}g?(-(standard|high)?lssd)?(-nolssd)?(-metal)?$/;

/** Custom shapes, for which the user chooses the number of vCPUs and the amount of memory in MiB. */
const custom = /^custom-(\d{1,3}|micro|small|medium)-\d{3,7}(-ext)?$/;

/** Machine types with a shared core, which exist in one size only. */
const shared: ReadonlySet<string> = new Set(["e2-micro", "e2-small", "e2-medium", "f1-micro", "g1-small"]);

/**
 * Returns whether a string is a possible machine type of Compute Engine, such as `e2-standard-4` or `n2-custom-4-8192`. Accepts every
 * combination of family and shape. Preflight checks verify that the zone offers the exact type.
 */
export function isMachineType(type: string): boolean {
  if (shared.has(type) || custom.test(type)) return true;
  const [, family = "", rest = ""] = /^([a-z]\d{1,2}[a-z]?)-(.+)$/.exec(type) ?? [];
  return known.has(family) && (shape.test(rest) || custom.test(rest));
}
