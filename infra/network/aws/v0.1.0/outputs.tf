output "network_id" {
  description = "Id of the VPC."
  value       = try(aws_vpc.this.id, null)
}

output "public_subnet_ids" {
  description = "Ids of the load balancer subnets, by zone."
  value       = [for zone in sort(keys(aws_subnet.public)) : aws_subnet.public[zone].id]
}

output "private_subnet_ids" {
  description = "Ids of the worker subnets, by zone."
  value       = [for zone in sort(keys(aws_subnet.private)) : aws_subnet.private[zone].id]
}

output "intra_subnet_ids" {
  description = "Ids of the subnets without internet access, by zone."
  value       = [for zone in sort(keys(aws_subnet.intra)) : aws_subnet.intra[zone].id]
}
