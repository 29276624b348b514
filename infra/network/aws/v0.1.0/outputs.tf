output "network_id" {
  description = "Id of the VPC."
  value       = aws_vpc.this.id
}

output "public_subnet_ids" {
  description = "Subnets of load balancers, by zone."
  value       = [for zone in sort(keys(local.public)) : aws_subnet.public[zone].id]
}

output "private_subnet_ids" {
  description = "Subnets of workers, by zone."
  value       = [for zone in sort(keys(local.private)) : aws_subnet.private[zone].id]
}

output "intra_subnet_ids" {
  description = "Subnets without a way out, by zone."
  value       = [for zone in sort(keys(local.intra)) : aws_subnet.intra[zone].id]
}
