import { ifReadable, refuseRequest } from "../../library/errors.ts";
import type { AwsContext } from "./context.ts";

/** Throws `clouds.invalid` if EC2 does not offer a machine type in the region. Passes if the credentials do not allow the check. */
export async function checkMachineType(
  context: AwsContext,
  { type, region }: { readonly type: string | undefined; readonly region: string },
  signal: AbortSignal | undefined,
): Promise<void> {
  if (type === undefined) return;
  const offered = await ifReadable(
    context.call({ doing: `look up the machine type ${type} in ${region}`, region, signal }, async (clients) => {
      const { DescribeInstanceTypeOfferingsCommand } = await import("@aws-sdk/client-ec2");
      const command = new DescribeInstanceTypeOfferingsCommand({ Filters: [{ Name: "instance-type", Values: [type] }] });
      const { InstanceTypeOfferings = [] } = await (await clients.ec2()).send(command);
      return InstanceTypeOfferings.some(({ InstanceType }) => InstanceType === type);
    }),
  );
  if (offered !== false) return;
  const list = `aws ec2 describe-instance-type-offerings --region ${region}`;
  throw refuseRequest("aws", `${region} does not offer the machine type ${type}; \`${list}\` lists the types that it offers`);
}
