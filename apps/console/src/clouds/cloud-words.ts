/** The cloud's terms for the kinds that the platform builds, in the singular. */
export interface CloudWords {
  readonly network: string;
  readonly cluster: string;
  readonly nodePool: string;
  readonly bucket: string;
  readonly volume: string;
}
