output "network_id" {
  description = "Id of the VPC."
  value       = var.vpc_id == null ? one([for vpc in aws_vpc.this : vpc.id]) : one([for vpc in data.aws_vpc.given : vpc.id])
}

output "cidr" {
  description = "Address range of the VPC."
  value       = var.vpc_id == null ? one([for vpc in aws_vpc.this : vpc.cidr_block]) : one([for vpc in data.aws_vpc.given : vpc.cidr_block])
}

output "zones" {
  description = "Zones that have a subnet; not known of a VPC that was there already."
  value       = sort(distinct(concat(keys(local.public), keys(local.private), keys(local.intra))))
}

output "public_subnet_ids" {
  description = "Subnets of load balancers, by zone."
  value       = concat([for zone in sort(keys(local.public)) : aws_subnet.public[zone].id], var.public_subnet_ids)
}

output "private_subnet_ids" {
  description = "Subnets of workers, by zone."
  value       = concat([for zone in sort(keys(local.private)) : aws_subnet.private[zone].id], var.private_subnet_ids)
}

output "intra_subnet_ids" {
  description = "Subnets without a way out, by zone; in a VPC that exists those that were named for control planes."
  value       = concat([for zone in sort(keys(local.intra)) : aws_subnet.intra[zone].id], var.controlplane_subnet_ids)
}

output "nat_public_ips" {
  description = "Addresses that workers are seen under, by zone."
  value       = [for zone in sort(local.nat_zones) : aws_eip.nat[zone].public_ip]
}

output "load_balancer_ip_ids" {
  description = "Allocation ids of the addresses that are kept for load balancers."
  value       = [for index in range(var.load_balancer_ips) : aws_eip.load_balancer[tostring(index)].id]
}

output "load_balancer_public_ips" {
  description = "The addresses that are kept for load balancers."
  value       = [for index in range(var.load_balancer_ips) : aws_eip.load_balancer[tostring(index)].public_ip]
}

output "discovery" {
  description = "Value of the tag karpenter.sh/discovery on the subnets of workers; empty where the VPC was there already."
  value       = var.vpc_id == null ? local.discovery : ""
}
