//! A service that answers `GET /predict?1.5,2.0` with the class of the row: a model in an `Arc`, one thread per connection.
//! It needs no more than the standard library; in a framework the handler is the same function.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::Arc;

use ermine::prelude::*;

fn answer(model: &impl Predict, line: &str) -> Result<String, Box<dyn std::error::Error>> {
    let values = line.split_whitespace().nth(1).and_then(|path| path.strip_prefix("/predict?")).ok_or("ask /predict?1.5,2.0")?;
    let row = values.split(',').map(str::parse).collect::<Result<Vec<f64>, _>>()?;
    Ok(model.classify(&[row])?[0].to_owned())
}

fn serve(mut stream: TcpStream, model: &impl Predict) -> std::io::Result<()> {
    let mut line = String::new();
    BufReader::new(&stream).take(4096).read_line(&mut line)?;
    let (status, body) = answer(model, &line).map_or_else(|e| ("400 Bad Request", e.to_string()), |label| ("200 OK", label));
    write!(stream, "HTTP/1.1 {status}\r\nContent-Length: {}\r\nConnection: close\r\n\r\n{body}", body.len())
}

pub fn main() -> Result<(), Box<dyn std::error::Error>> {
    let x: Vec<[f64; 2]> = (0..100).map(|i| [f64::from(i % 10), f64::from(i / 10)]).collect();
    let y: Vec<&str> = x.iter().map(|row| if row[0] > row[1] { "right" } else { "left" }).collect();
    let model = Arc::new(Tree::default().fit(&(&x, &y))?);
    let listener = TcpListener::bind("127.0.0.1:0")?;
    let address = listener.local_addr()?;
    std::thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            let model = model.clone();
            std::thread::spawn(move || serve(stream, &*model));
        }
    });
    let mut client = TcpStream::connect(address)?;
    client.write_all(b"GET /predict?8,1 HTTP/1.1\r\n\r\n")?;
    let reply = std::io::read_to_string(client)?;
    if reply.ends_with("right") { Ok(()) } else { Err(reply.into()) }
}
