/** EC2 instance families that come in the sizes below. Old families that new accounts cannot use are omitted. */
const families = `
  t2 t3 t3a t4g
  m4 m5 m5a m5ad m5d m5dn m5n m5zn m6a m6g m6gd m6i m6id m6idn m6in m7a m7g m7gd m7i m7i-flex m8a m8azn m8g m8gb m8gd m8gn m8i m8i-flex m8id
  c4 c5 c5a c5ad c5d c5n c6a c6g c6gd c6gn c6i c6id c6in c7a c7g c7gd c7gn c7i c7i-flex c8a c8g c8gb c8gd c8gn c8i c8i-flex c8id
  r4 r5 r5a r5ad r5b r5d r5dn r5n r6a r6g r6gd r6i r6id r6idn r6in r7a r7g r7gd r7i r7iz r8a r8g r8gb r8gd r8gn r8i r8i-flex r8id
  x1 x1e x2gd x2idn x2iedn x2iezn x8g x8aedz x8i z1d
  i2 i3 i3en i4g i4i i7i i7ie i8g i8ge im4gn is4gen d2 d3 d3en h1
  g4ad g4dn g5 g5g g6 g6e g6f gr6 gr6f g7e p3 p3dn p4d p4de p5 p5e p5en p6-b200 p6-b300 p6e-gb200 inf1 inf2 trn1 trn1n trn2 trn2u dl1 dl2q f1 f2 vt1
  hpc6a hpc6id hpc7a hpc7g hpc8a mac1 mac2 mac2-m1ultra mac2-m2 mac2-m2pro mac-m4 mac-m4pro
  u-3tb1 u-6tb1 u-9tb1 u-12tb1 u-18tb1 u-24tb1 u7i-6tb u7i-8tb u7i-12tb u7in-16tb u7in-24tb u7in-32tb u7inh-32tb
`;

const known: ReadonlySet<string> = new Set(families.trim().split(/\s+/));

const size = /^(nano|micro|small|medium|large|(1?\d?\d?)xlarge|metal(-\d{1,3}xl)?)$/;

/**
 * Returns whether a string is a possible EC2 instance type, such as `m6i.large`. Accepts every combination of family and size. Preflight
 * checks verify that the region offers the exact type.
 */
export function isMachineType(type: string): boolean {
  const [, family = "", rest = ""] = /^([^.]+)\.([^.]+)$/.exec(type) ?? [];
  return known.has(family) && size.test(rest);
}

/** Sizes that most families have, smallest first. */
const usualSizes =
  "nano micro small medium large xlarge 2xlarge 3xlarge 4xlarge 6xlarge 8xlarge 12xlarge 16xlarge 24xlarge 48xlarge".split(" ");

/** Lists possible instance types of the same family, nearest in size first. */
export function listSimilarMachineTypes(type: string): readonly string[] {
  const [, family = "", rest = ""] = /^([^.]+)\.([^.]+)$/.exec(type) ?? [];
  if (!known.has(family)) return [];
  const xlarge = Number(/^(\d+)xlarge$/.exec(rest)?.[1] ?? 0);
  const fitting = usualSizes.findLastIndex((each) => xlarge > 0 && (Number.parseInt(each, 10) || 0) <= xlarge);
  const from = usualSizes.includes(rest) ? usualSizes.indexOf(rest) : Math.max(fitting, usualSizes.indexOf("large"));
  return usualSizes
    .filter((each) => each !== rest)
    .toSorted((a, b) => Math.abs(usualSizes.indexOf(a) - from) - Math.abs(usualSizes.indexOf(b) - from))
    .map((each) => `${family}.${each}`);
}
