output "network_id" {
  description = "Id of the VPC."
  value       = var.vpc_id == null ? one([for vpc in aws_vpc.this : vpc.id]) : one([for vpc in data.aws_vpc.given : vpc.id])
}

output "cidr" {
  description = "Address range of the VPC."
  value       = var.vpc_id == null ? one([for vpc in aws_vpc.this : vpc.cidr_block]) : one([for vpc in data.aws_vpc.given : vpc.cidr_block])
}

output "ipv6_cidr" {
  description = "IPv6 range of the VPC; empty if IPv6 is not turned on, or if an existing VPC has none."
  value       = join("", compact(concat([for vpc in aws_vpc.this : vpc.ipv6_cidr_block if var.ipv6], [for vpc in data.aws_vpc.given : vpc.ipv6_cidr_block])))
}

output "zones" {
  description = "Zones that have a subnet; empty for an existing VPC."
  value       = sort(distinct(concat(keys(local.public), keys(local.private), keys(local.intra))))
}

output "public_subnet_ids" {
  description = "Ids of the load balancer subnets, by zone."
  value       = concat([for zone in sort(keys(aws_subnet.public)) : aws_subnet.public[zone].id], var.public_subnet_ids)
}

output "private_subnet_ids" {
  description = "Ids of the worker subnets, by zone."
  value       = concat([for zone in sort(keys(aws_subnet.private)) : aws_subnet.private[zone].id], var.private_subnet_ids)
}

output "intra_subnet_ids" {
  description = "Ids of the control plane subnets, by zone. They have no internet access in a VPC that this configuration creates."
  value       = concat([for zone in sort(keys(aws_subnet.intra)) : aws_subnet.intra[zone].id], var.controlplane_subnet_ids)
}

output "nat_public_ips" {
  description = "Public addresses of outgoing traffic from workers, by zone."
  value       = [for zone in sort(keys(aws_eip.nat)) : aws_eip.nat[zone].public_ip if contains(local.nat_zones, zone)]
}

output "nat_zones" {
  description = "Zones that have a NAT gateway that routes use."
  value       = sort([for zone in keys(aws_nat_gateway.this) : zone if contains(local.nat_zones, zone)])
}

output "nat_retiring" {
  description = "Zones whose NAT gateway no route uses any more. The next apply deletes these gateways."
  value       = sort([for zone in keys(aws_nat_gateway.this) : zone if !contains(local.nat_zones, zone)])
}

output "load_balancer_ip_ids" {
  description = "Allocation ids of the elastic IPs reserved for load balancers."
  value       = [for index in range(var.load_balancer_ips) : aws_eip.load_balancer[tostring(index)].id if contains(keys(aws_eip.load_balancer), tostring(index))]
}

output "load_balancer_public_ips" {
  description = "Elastic IPs reserved for load balancers."
  value       = [for index in range(var.load_balancer_ips) : aws_eip.load_balancer[tostring(index)].public_ip if contains(keys(aws_eip.load_balancer), tostring(index))]
}

output "discovery" {
  description = "Value of the tag karpenter.sh/discovery on the worker subnets; empty for an existing VPC."
  value       = var.vpc_id == null ? local.discovery : ""
}
