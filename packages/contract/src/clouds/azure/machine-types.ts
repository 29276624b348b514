/**
 * VM series that AKS nodes can use: the letters of the series and the optional suffixes after the number of vCPUs. Preflight checks verify
 * that the region offers the exact size.
 */
const series = "A|B|D|DC|E|EC|F|FX|G|GS|H|HB|HC|HX|L|M|NC|ND|NG|NP|NV";
const machine = new RegExp(`^Standard_(${series})\\d{1,3}(-\\d{1,3})?[a-z]{0,5}(_[A-Z]+\\d+[A-Z]*)?(_v\\d{1,2})?$`);

/** Returns whether a string is a possible Azure VM size, such as `Standard_D2s_v5`. Azure ignores the case, but the platform does not. */
export function isMachineType(type: string): boolean {
  return machine.test(type);
}
