"""From a result to what people see: text, HTML, charts and documents."""
