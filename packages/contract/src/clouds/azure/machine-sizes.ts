/**
 * The VM sizes that AKS nodes can use. Each line contains the letters of a series, the suffixes after the number of vCPUs, and the numbers
 * of vCPUs. A dash stands for no suffix.
 */
const table = `
  A _v2 1 2 4 8
  A m_v2 2 4 8
  B s 1 2
  B ls 1
  B ms 1 2 4 8 12 16 20
  B ts_v2|ats_v2|pts_v2 2
  B ls_v2|s_v2|als_v2|as_v2 2 4 8 16 32
  B pls_v2|ps_v2 2 4 8 16
  D _v3|s_v3|_v4|s_v4|d_v4|ds_v4 2 4 8 16 32 48 64
  D a_v4|as_v4 2 4 8 16 32 48 64 96
  D _v5|s_v5|d_v5|ds_v5|as_v5|ads_v5|ls_v5|lds_v5 2 4 8 16 32 48 64 96
  D ps_v5|pds_v5|pls_v5|plds_v5 2 4 8 16 32 48 64
  D s_v6|ds_v6|ls_v6|lds_v6 2 4 8 16 32 48 64 96 128
  D as_v6|ads_v6|als_v6|alds_v6|ps_v6|pds_v6|pls_v6|plds_v6 2 4 8 16 32 48 64 96
  D as_v7|ads_v7|als_v7|alds_v7 2 4 8 16 32 48 64 96 128 160
  DC s_v2 1 2 4 8
  DC s_v3|ds_v3 1 2 4 8 16 24 32 48
  DC as_v5|ads_v5|as_v6|ads_v6 2 4 8 16 32 48 64 96
  DC es_v5|eds_v5|es_v6|eds_v6 2 4 8 16 32 48 64 96 128
  E _v3|s_v3 2 4 8 16 20 32 48 64
  E _v4|s_v4|d_v4|ds_v4 2 4 8 16 20 32 48 64
  E is_v4|ids_v4 80
  E a_v4|as_v4 2 4 8 16 20 32 48 64 96
  E _v5|s_v5|d_v5|ds_v5 2 4 8 16 20 32 48 64 96
  E i_v5|is_v5|id_v5|ids_v5 104
  E as_v5|ads_v5 2 4 8 16 20 32 48 64 96
  E ias_v5|iads_v5 112
  E bs_v5|bds_v5 2 4 8 16 32 48 64 96 112
  E ps_v5|pds_v5 2 4 8 16 20 32
  E s_v6|ds_v6 2 4 8 16 20 32 48 64 96 128
  E as_v6|ads_v6|ps_v6|pds_v6 2 4 8 16 20 32 48 64 96
  E as_v7|ads_v7 2 4 8 16 20 32 48 64 96 128 160
  EC as_v5|ads_v5|as_v6|ads_v6 2 4 8 16 20 32 48 64 96
  EC es_v5|eds_v5|es_v6|eds_v6 2 4 8 16 32 48 64 128
  F -|s 1 2 4 8 16
  F s_v2 2 4 8 16 32 48 64 72
  F as_v6|als_v6|ams_v6 2 4 8 16 32 48 64
  FX mds 4 12 24 36 48
  FX ms_v2|mds_v2 2 4 8 12 16 24 32 48 64 96
  HB rs_v2|rs_v3 120
  HB rs_v4 176
  HC rs 44
  HX rs 176
  L s_v2|s_v3|as_v3 8 16 32 48 64 80
  L s_v4|as_v4 2 4 8 16 32 48 64 80 96
  M ms 8 16 32 64 128
  M ts 32
  M ls 32 64
  M s|m|- 64 128
  M ms_v2|s_v2 208 416
  M dms_v2|ds_v2 32 64 128 192
  M s_v3|ds_v3 12 24 48 96 176
  NC s_v3 6 12 24
  NC rs_v3 24
  NC as_T4_v3 4 8 16 64
  NC ads_A100_v4 24 48 96
  NC ads_H100_v5 40 80
  ND rs_v2 40
  ND asr_v4|amsr_A100_v4 96
  ND isr_H100_v5|isr_H200_v5 96
  NV s_v3 12 24 48
  NV as_v4 4 8 16 32
  NV ads_A10_v5|ads_V710_v5 4 6 8 12 16 18 24 28 36 72
  NV adms_A10_v5 36 72
  NP s 10 20 40
`;

interface Series {
  readonly letters: string;
  readonly suffix: string;
  readonly vcpus: readonly number[];
}

const series: readonly Series[] = table
  .trim()
  .split("\n")
  .flatMap((line) => {
    const [letters = "", suffixes = "", ...counts] = line.trim().split(" ");
    return suffixes.split("|").map((suffix) => ({ letters, suffix: suffix === "-" ? "" : suffix, vcpus: counts.map(Number) }));
  });

const pattern =
  /^Standard_(?<letters>[A-Z]+)(?<count>\d{1,3})(?:-(?<active>\d{1,3}))?(?<suffix>[a-z]{0,5}(?:_[A-Z]+\d+[A-Z]*)?(?:_v\d{1,2})?)$/;

/**
 * Returns whether this release knows the exact VM size. Azure may offer newer sizes, so only the simulator and suggestions rely on this
 * list.
 */
export function isListedMachineType(type: string): boolean {
  const { letters, count, active, suffix } = parseSize(type);
  const found = series.find((each) => each.letters === letters && each.suffix === suffix);
  // A size with constrained vCPUs uses a half, a quarter or an eighth of the machine's vCPUs.
  const isAllowed = active === undefined || [2, 4, 8].includes(count / active);
  return found?.vcpus.includes(count) === true && isAllowed;
}

/** Lists VM sizes that differ only in the number of vCPUs, then those that differ only in generation or features, nearest first. */
export function listSimilarMachineTypes(type: string): readonly string[] {
  const { letters, count, suffix } = parseSize(type);
  const sameLetters = series.filter((each) => each.letters === letters);
  const otherCounts = sameLetters
    .filter((each) => each.suffix === suffix)
    .flatMap(({ vcpus }) => vcpus.toSorted((a, b) => Math.abs(a - count) - Math.abs(b - count)))
    .map((vcpus) => `Standard_${letters}${vcpus}${suffix}`);
  const distanceTo = (other: string): number =>
    (featuresOf(other) === featuresOf(suffix) ? 0 : 100) + Math.abs(generationOf(other) - generationOf(suffix));
  const otherSuffixes = sameLetters
    .filter((each) => each.suffix !== suffix && each.vcpus.includes(count))
    .toSorted((a, b) => distanceTo(a.suffix) - distanceTo(b.suffix))
    .map((each) => `Standard_${letters}${count}${each.suffix}`);
  return [...otherCounts, ...otherSuffixes];
}

function featuresOf(suffix: string): string {
  return suffix.replace(/_v\d+$/, "");
}

function generationOf(suffix: string): number {
  return Number(/_v(\d+)$/.exec(suffix)?.[1] ?? 1);
}

function parseSize(type: string): {
  readonly letters: string;
  readonly count: number;
  readonly active: number | undefined;
  readonly suffix: string;
} {
  const { letters = "", count = "0", active, suffix = "" } = pattern.exec(type)?.groups ?? {};
  return { letters, count: Number(count), active: active === undefined ? undefined : Number(active), suffix };
}
