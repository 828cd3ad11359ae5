//! Sheets, JSON and archives as the text inside.

use ermine_core::{Error, Result};

use crate::json;
use crate::options::{Format, ReadOptions};
use crate::source::ByteSource;

/// First bytes of a ZIP archive, which workbooks are too, and of workbooks of before 2007.
const ZIP: &[u8] = b"PK\x03\x04";
const OLE: &[u8] = b"\xD0\xCF\x11\xE0\xA1\xB1\x1A\xE1";

impl ByteSource {
    /// This source if the readers take it as it is; else the text inside.
    pub(crate) fn readable(self, options: &ReadOptions) -> Result<Self> {
        if self.is_pipe() {
            return Ok(self);
        }
        let begins = self.begins()?;
        let asked = options.format.or_else(|| Format::of_name(&self.name));
        if begins.starts_with(ZIP) {
            return self.of_zip(options);
        }
        if begins.starts_with(OLE) {
            return self.of_workbook(options);
        }
        match asked {
            Some(Format::Json | Format::JsonLines) => self.of_json(options),
            Some(Format::Sheet) => {
                self.refuse_foreign()?;
                let message = "the name is that of a workbook, and the file is none; say --format csv if it is text";
                Err(Error::Format { path: self.name, message: message.into() })
            }
            None if begins.first().is_some_and(|b| b"{[".contains(b)) => self.of_json(options),
            _ => Ok(self),
        }
    }

    fn of_json(self, options: &ReadOptions) -> Result<Self> {
        let text = json::to_delimited(&self.name, &self.read_all(options)?)?;
        Ok(Self::converted(self.name, text, Vec::new()))
    }

    #[cfg(feature = "xlsx")]
    fn of_workbook(self, options: &ReadOptions) -> Result<Self> {
        let (text, notes) = crate::sheet::to_delimited(&self.name, self.read_all(options)?, options.sheet.as_deref())?;
        Ok(Self::converted(self.name, text, notes))
    }

    #[cfg(not(feature = "xlsx"))]
    fn of_workbook(self, _: &ReadOptions) -> Result<Self> {
        Err(Error::Format { path: self.name, message: "this is a workbook, and this build reads none".into() })
    }

    /// The one file of an archive, or the sheet of a workbook.
    #[cfg(feature = "archives")]
    fn of_zip(self, options: &ReadOptions) -> Result<Self> {
        use std::io::{Cursor, Read};

        let broken = |e: &dyn std::fmt::Display| Error::Format {
            path: self.name.clone(),
            message: format!("the ZIP archive does not open: {e}"),
        };
        let mut archive = zip::ZipArchive::new(Cursor::new(self.read_all(options)?)).map_err(|e| broken(&e))?;
        let names =
            archive.file_names().map(|name| name.map(|n| n.into_owned())).collect::<std::result::Result<Vec<String>, _>>();
        let names = names.map_err(|e| broken(&e))?;
        if names.iter().any(|n| n == "mimetype" || n.starts_with("xl/")) {
            return self.of_workbook(options);
        }
        let hidden =
            |n: &str| n.ends_with('/') || n.starts_with("__MACOSX/") || n.rsplit('/').next().is_some_and(|f| f.starts_with('.'));
        let mut files: Vec<&String> = names.iter().filter(|n| !hidden(n)).collect();
        files.sort();
        let [file] = files[..] else {
            let some: Vec<&str> = files.iter().take(5).map(|n| n.as_str()).collect();
            let message = format!("the archive has {} files ({}); unpack it and name one", files.len(), some.join(", "));
            return Err(Error::Format { path: self.name.clone(), message });
        };
        let limit = options.max_unpacked.unwrap_or(1 << 32);
        let mut bytes = Vec::new();
        let member = archive.by_name(file).map_err(|e| broken(&e))?;
        member.take(limit + 1).read_to_end(&mut bytes).map_err(|e| broken(&e))?;
        if bytes.len() as u64 > limit {
            let message = format!("{file} unpacks to more than {limit} bytes; unpack the archive first");
            return Err(Error::Format { path: self.name.clone(), message });
        }
        let name = format!("{}/{file}", self.name);
        Self::new(name, crate::source::Bytes::Memory(bytes.into())).readable(options)
    }

    #[cfg(not(feature = "archives"))]
    fn of_zip(self, options: &ReadOptions) -> Result<Self> {
        if Format::of_name(&self.name) == Some(Format::Sheet) {
            return self.of_workbook(options);
        }
        Err(Error::Format { path: self.name, message: "this is a ZIP archive, and this build opens none".into() })
    }
}
