(tools) => {
}
