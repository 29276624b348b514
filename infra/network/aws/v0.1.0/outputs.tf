output "network_id" {
  description = "Id of the VPC."
  value       = aws_vpc.this.id
}

output "public_subnet_ids" {
  description = "Ids of the load balancer subnets, by zone."
  value       = [for zone in sort(keys(local.public)) : aws_subnet.public[zone].id]
}

output "private_subnet_ids" {
  description = "Ids of the worker subnets, by zone."
  value       = [for zone in sort(keys(local.private)) : aws_subnet.private[zone].id]
}

output "intra_subnet_ids" {
  description = "Ids of the subnets without internet access, by zone."
  value       = [for zone in sort(keys(local.intra)) : aws_subnet.intra[zone].id]
}
